import { type Report } from '../../../scripts/command/report';
import { type Canary, foundIn } from './secrets';
import { type Place } from './places';

/** Where what was sent is kept, until it is erased: rows as they came, and addresses that are looked up. */
export const KEPT = new Map<string, readonly Canary['kind'][]>([
  ['result.source', ['first name', 'surname', 'street', 'city']],
  ['chunk.input', ['first name', 'surname', 'street', 'city']],
  ['geocode_address.street', ['street']],
  ['geocode_address.city', ['city']],
  ['contribution.record', ['first name', 'surname', 'city']],
  ['fec_reject.record', ['first name', 'surname', 'city']],
]);

/** Places of a kind. */
export type Group = readonly [string, readonly Place[]];

/** What was found where, and whether that is where it is kept. */
export function reportOf(groups: readonly Group[], columns: readonly Place[], canaries: readonly Canary[]): Report {
  const leaks: string[] = [];
  const rows = groups.map(([name, places]) => {
    const found = places.flatMap((place) => foundIn(place.text, canaries).map((kind) => `${kind} in ${place.name}`));
    leaks.push(...found);
    return [name, places.length, sizeOf(places), [...new Set(found)].join('; ') || 'nothing'];
  });
  const kept = columns.filter(({ name }) => KEPT.has(name));
  for (const place of kept) {
    const found = foundIn(place.text, canaries);
    leaks.push(
      ...found.filter((kind) => !KEPT.get(place.name)?.includes(kind)).map((kind) => `${kind} in ${place.name}`),
    );
    rows.push([`${place.name}, where it is kept`, 1, sizeOf([place]), found.join(', ') || 'no longer']);
  }
  const arrived = (place: string): boolean =>
    kept.some(({ name, text }) => name === place && foundIn(text, canaries).includes('surname'));
  const travelled = ['result.source', 'contribution.record', 'fec_reject.record'].every(arrived);
  const count = (kind: Canary['kind']) => canaries.filter((one) => one.kind === kind).length;
  return {
    columns: ['place', 'parts', 'kB', 'found'],
    rows,
    notes: [
      `Looked for: keys and their secrets ${count('key')}, a first name, a surname, a street, a city, and coordinates of its houses ${count('coordinate')}, each also in capitals and as hexadecimal digits.`,
    ],
    passed: leaks.length === 0 && travelled && count('coordinate') > 0,
  };
}

const sizeOf = (places: readonly Place[]): number =>
  Math.round(places.reduce((sum, { text }) => sum + text.length, 0) / 1000);
