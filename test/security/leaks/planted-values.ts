/** A value that is sent and must not be found elsewhere. */
export interface PlantedValue {
  readonly kind: 'key' | 'first name' | 'surname' | 'street' | 'city' | 'coordinate';
  readonly text: string;
}

export const FIRST_NAME = 'Quixotelle';
export const SURNAME = 'Vandersprocket';
export const CITY = 'Hobblewick';
export const STREETS = Array.from({ length: 60 }, (_, n) => `${4711 + n} Zwickelmoor Lane`);

/** A key counts as found by its secret part, too. */
export const plantedValues = (keys: readonly string[], coordinates: readonly string[]): readonly PlantedValue[] => [
  ...keys.flatMap((key) => [key, ...key.split('_').slice(2, 3)]).map((text) => ({ kind: 'key', text }) as const),
  { kind: 'first name', text: FIRST_NAME },
  { kind: 'surname', text: SURNAME },
  { kind: 'street', text: 'Zwickelmoor' },
  { kind: 'city', text: CITY },
  ...coordinates.map((text) => ({ kind: 'coordinate', text }) as const),
];

/** Kinds of planted values in a text, in upper or lower case or as hexadecimal digits. */
export function findIn(text: string, canaries: readonly PlantedValue[]): readonly PlantedValue['kind'][] {
  const lower = text.toLowerCase();
  const found = canaries.filter(({ text: canary }) => encodingsOf(canary).some((form) => lower.includes(form)));
  return [...new Set(found.map(({ kind }) => kind))];
}

const forms = new Map<string, readonly string[]>();

function encodingsOf(canary: string): readonly string[] {
  const known = forms.get(canary);
  if (known) return known;
  const hex = [canary, canary.toUpperCase(), canary.toLowerCase()].map((one) => Buffer.from(one).toString('hex'));
  const made = [...new Set([canary.toLowerCase(), ...hex])];
  forms.set(canary, made);
  return made;
}
