/** Of something drawn: whose it is, in which cycle. */
export interface Identity {
  readonly id: string;
  readonly cycle: number;
}

/** Characters that XML cannot hold; masters are typed by hand. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g;

export const nameOf = (names: ReadonlyMap<string, string>, id: string): string =>
  names.get(id)?.replace(UNPRINTABLE, ' ').trim() || id;

/** What stands beside a line. */
export interface Label {
  readonly name: string;
  /** null where all are of one cycle */
  readonly cycle: number | null;
}

/** `DOE` of `DOE, PAT` where no other one drawn is called so, else the whole name; with the cycle where there are several. */
export function labelsOf(parts: readonly Identity[], names: ReadonlyMap<string, string>): Label[] {
  const surname = (id: string): string => nameOf(names, id).split(',')[0].trim();
  const hasCycles = new Set(parts.map(({ cycle }) => cycle)).size > 1;
  return parts.map(({ id, cycle }) => {
    const isShared = parts.some((other) => other.id !== id && surname(other.id) === surname(id));
    return { name: isShared ? nameOf(names, id) : surname(id), cycle: hasCycles ? cycle : null };
  });
}

/** Of characters, in the width of a broad capital; a font's own widths are not known here. */
const widthOf = (character: string): number => {
  if (/[MW@%]/.test(character)) return 1.2;
  if (/[IJ.,:;'’ ()|!-]/.test(character)) return 0.5;
  if (/[EFLST\p{Ll}\d]/u.test(character)) return 0.9;
  return 1;
};

/** Cut where it would be longer than so many capitals. */
export function fitting(text: string, most: number): string {
  const characters = [...text];
  if (widthOfAll(characters) <= most) return text;
  const kept = [...characters];
  while (kept.length > 0 && widthOfAll(kept) + 1 > most) kept.pop();
  return `${kept.join('').trimEnd()}…`;
}

const widthOfAll = (characters: readonly string[]): number =>
  characters.reduce((sum, character) => sum + widthOf(character), 0);
