import { type Report } from '../../../scripts/command/report';
import { type PlantedValue, findIn } from './planted-values';
import { type SearchedText } from './searched-texts';

/** Columns that store sent values until they are erased: rows as they were sent, and addresses to geocode. */
export const STORING_COLUMNS = new Map<string, readonly PlantedValue['kind'][]>([
  ['result.source', ['first name', 'surname', 'street', 'city']],
  ['chunk.input', ['first name', 'surname', 'street', 'city']],
  ['geocode_address.street', ['street']],
  ['geocode_address.city', ['city']],
  ['contribution.record', ['first name', 'surname', 'city']],
  ['fec_reject.record', ['first name', 'surname', 'city']],
]);

/** Searched texts of one kind. */
export type Group = readonly [string, readonly SearchedText[]];

/** Which planted values were found where, and whether that is a column that may store them. */
export function reportOf(
  groups: readonly Group[],
  columns: readonly SearchedText[],
  planted: readonly PlantedValue[],
): Report {
  const leaks: string[] = [];
  const rows = groups.map(([name, places]) => {
    const found = places.flatMap((place) => findIn(place.text, planted).map((kind) => `${kind} in ${place.name}`));
    leaks.push(...found);
    return [name, places.length, sizeOf(places), [...new Set(found)].join('; ') || 'nothing'];
  });
  const kept = columns.filter(({ name }) => STORING_COLUMNS.has(name));
  for (const place of kept) {
    const found = findIn(place.text, planted);
    leaks.push(
      ...found
        .filter((kind) => !STORING_COLUMNS.get(place.name)?.includes(kind))
        .map((kind) => `${kind} in ${place.name}`),
    );
    rows.push([`${place.name}, which stores rows`, 1, sizeOf([place]), found.join(', ') || 'erased']);
  }
  const arrived = (place: string): boolean =>
    kept.some(({ name, text }) => name === place && findIn(text, planted).includes('surname'));
  const travelled = ['result.source', 'contribution.record', 'fec_reject.record'].every(arrived);
  const count = (kind: PlantedValue['kind']) => planted.filter((one) => one.kind === kind).length;
  return {
    columns: ['searched', 'parts', 'kB', 'found'],
    rows,
    notes: [
      `Looked for: keys and their secrets ${count('key')}, a first name, a surname, a street, a city, and coordinates of its houses ${count('coordinate')}, each also in capitals and as hexadecimal digits.`,
    ],
    passed: leaks.length === 0 && travelled && count('coordinate') > 0,
  };
}

const sizeOf = (places: readonly SearchedText[]): number =>
  Math.round(places.reduce((sum, { text }) => sum + text.length, 0) / 1000);
