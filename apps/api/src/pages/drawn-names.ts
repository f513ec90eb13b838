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

/** Cut where it would be longer. */
export const fitting = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
};
