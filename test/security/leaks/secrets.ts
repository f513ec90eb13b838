/** What must not be found where it was not put, by what it is. */
export interface Canary {
  readonly kind: 'key' | 'first name' | 'surname' | 'street' | 'city' | 'coordinate';
  readonly text: string;
}

export const FIRST_NAME = 'Quixotelle';
export const SURNAME = 'Vandersprocket';
export const CITY = 'Hobblewick';
export const STREETS = Array.from({ length: 60 }, (_, n) => `${4711 + n} Zwickelmoor Lane`);

/** A key also by its secret alone. */
export const canariesOf = (keys: readonly string[], coordinates: readonly string[]): readonly Canary[] => [
  ...keys.flatMap((key) => [key, ...key.split('_').slice(2, 3)]).map((text) => ({ kind: 'key', text }) as const),
  { kind: 'first name', text: FIRST_NAME },
  { kind: 'surname', text: SURNAME },
  { kind: 'street', text: 'Zwickelmoor' },
  { kind: 'city', text: CITY },
  ...coordinates.map((text) => ({ kind: 'coordinate', text }) as const),
];

/** The kinds found in a text, whatever their case, also where a database or a queue shows bytes as hexadecimal digits. */
export function foundIn(text: string, canaries: readonly Canary[]): readonly Canary['kind'][] {
  const lower = text.toLowerCase();
  const found = canaries.filter(({ text: canary }) => formsOf(canary).some((form) => lower.includes(form)));
  return [...new Set(found.map(({ kind }) => kind))];
}

const forms = new Map<string, readonly string[]>();

function formsOf(canary: string): readonly string[] {
  const known = forms.get(canary);
  if (known) return known;
  const hex = [canary, canary.toUpperCase(), canary.toLowerCase()].map((one) => Buffer.from(one).toString('hex'));
  const made = [...new Set([canary.toLowerCase(), ...hex])];
  forms.set(canary, made);
  return made;
}
