import { type Seat } from '@donorlens/campaign-finance';
import { FEC_OFFICES, OFFICE_NAMES } from '@donorlens/primitives';
import { candidateSurname, displayName } from './display-names';

/** Committee or candidate and cycle of one line or histogram. */
export interface Identity {
  readonly id: string;
  readonly cycle: number;
}

/** The name in title case; the id if no name is known. */
export const nameOf = (names: ReadonlyMap<string, string>, id: string): string =>
  displayName(id, names.get(id) ?? '') || id;

const officeName = ({ office }: Seat): string => OFFICE_NAMES[FEC_OFFICES.find((one) => one === office) ?? 'P'];

/** `President`, `Senate, MD`, `House, MD-08`, `House, AK at large`. */
export function seatName(seat: Seat): string {
  const { office, state, district } = seat;
  if (office === 'P' || state === '') return officeName(seat);
  const numbered = district === '00' ? `${state} at large` : `${state}-${district}`;
  return `${officeName(seat)}, ${office === 'H' && district !== '' ? numbered : state}`;
}

/** The parties with the most candidates in the masters of 2016 and 2020. */
const PARTIES: Readonly<Record<string, string>> = {
  DEM: 'Democratic Party',
  REP: 'Republican Party',
  IND: 'independent',
  LIB: 'Libertarian Party',
  OTH: 'other party',
  NNE: 'no party',
  GRE: 'Green Party',
  W: 'write-in candidate',
  UNK: '',
  NPA: 'no party',
  UN: 'unaffiliated',
};

/** `Democratic Party`; the FEC code for smaller parties, '' if the party is unknown. */
export const partyName = ({ party }: Seat): string => PARTIES[party] ?? party;

/** The seat if all candidates run for the same one, else their offices. */
export function seatsName(seats: readonly Seat[]): string {
  const names = new Set(seats.map(seatName));
  return [...(names.size > 1 ? new Set(seats.map(officeName)) : names)].join(', ');
}

/** Text next to a line. */
export interface Label {
  readonly name: string;
  /** null if all lines have the same cycle */
  readonly cycle: number | null;
}

/** Surnames if they differ, else full names; with the cycle if there are several cycles. */
export function labelsOf(parts: readonly Identity[], names: ReadonlyMap<string, string>): Label[] {
  const surname = (id: string): string => candidateSurname(names.get(id) ?? '') || id;
  const hasCycles = new Set(parts.map(({ cycle }) => cycle)).size > 1;
  return parts.map(({ id, cycle }) => {
    const isShared = parts.some((other) => other.id !== id && surname(other.id) === surname(id));
    return { name: isShared ? nameOf(names, id) : surname(id), cycle: hasCycles ? cycle : null };
  });
}

/** Approximate width of a character relative to a wide capital letter, because font metrics are not available. */
const widthOf = (character: string): number => {
  if (/[MW@%]/.test(character)) return 1.2;
  if (/[IJ.,:;'’ ()|!-]/.test(character)) return 0.5;
  if (/[EFLST\p{Ll}\d]/u.test(character)) return 0.9;
  return 1;
};

const widthOfAll = (characters: readonly string[]): number =>
  characters.reduce((sum, character) => sum + widthOf(character), 0);

/** The text, cut with an ellipsis if it is wider than `max` capital letters. */
export function fitting(text: string, max: number): string {
  const characters = [...text];
  if (widthOfAll(characters) <= max) return text;
  const shown = [...characters];
  while (shown.length > 0 && widthOfAll(shown) + 1 > max) shown.pop();
  return `${shown.join('').trimEnd()}…`;
}
