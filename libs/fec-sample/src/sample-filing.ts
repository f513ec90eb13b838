import { civilDay, formatCivilDay } from '@donorlens/primitives';
import { FIELD_SEPARATOR } from '@donorlens/tabular';
import { Random, seedOf } from './random';
import { CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER } from './sample-committees';
import { PLACES_WITH_COUNTIES, type SamplePerson, samplePerson } from './sample-person';

const VERSION = '8.3';
const FILER = CAMPAIGN_COMMITTEES[0];
const RECEIPTS = 60;
/** Numbers of the people of the filing, who are not in the bulk files. They have streets in known counties. */
const FIRST_PERSON = 50_000_000;
const HEADER_COLUMNS = 8;
const COVER_COLUMNS = 206;
const RECEIPT_COLUMNS = 45;
const DISBURSEMENT_COLUMNS = 44;

/** An item of the report. */
interface Item {
  readonly line: string;
  readonly id: string;
  readonly person: SamplePerson;
  readonly day: number;
  readonly cents: number;
  readonly memoText?: string;
  readonly isMemo?: boolean;
}

export interface SampleFiling {
  readonly fileNumber: number;
  readonly text: string;
}

/** Two electronic filings of one report, streets and all: the second amends the first. */
export function sampleFilings(cycle: number, seed: number): readonly [SampleFiling, SampleFiling] {
  const items = itemsOf(cycle, seed);
  const [first, second] = [cycle * 1000 + 1, cycle * 1000 + 2];
  const amended = items.slice(1).map((item, index) => (index === 0 ? { ...item, cents: item.cents + 2500 } : item));
  return [
    { fileNumber: first, text: filingText(cycle, 'F3PN', [], items) },
    { fileNumber: second, text: filingText(cycle, 'F3PA', [`FEC-${first}`, '1'], amended) },
  ];
}

function itemsOf(cycle: number, seed: number): Item[] {
  const random = new Random(seedOf(seed, cycle, 17));
  const item = (line: string, index: number, more: Partial<Item> = {}): Item => ({
    line,
    id: `${line}.${index + 1}`,
    person: samplePerson(seed, FIRST_PERSON + index, PLACES_WITH_COUNTIES),
    day: civilDay(cycle, 3, 1 + random.integerBelow(31)),
    cents: random.pick([2500, 5000, 10_050, 25_000, 100_000]),
    ...more,
  });
  const gifts = Array.from({ length: RECEIPTS }, (_, index) =>
    item('SA17A', index, index % 8 === 0 ? { memoText: '* EARMARKED CONTRIBUTION' } : {}),
  );
  const redesignated = item('SA17A', RECEIPTS, { isMemo: true, memoText: 'REDESIGNATION TO GENERAL' });
  const joint = Array.from({ length: 5 }, (_, index) =>
    item('SA18', RECEIPTS + 1 + index, { isMemo: true, memoText: `* ${JOINT_FUNDRAISER.name}` }),
  );
  const refunds = [3, 4].map((index) => item('SB28A', index, { cents: gifts[index].cents }));
  return [...gifts, redesignated, ...joint, ...refunds];
}

function filingText(cycle: number, form: string, amends: readonly string[], items: readonly Item[]): string {
  const lines = [
    cellsOf(HEADER_COLUMNS, {
      1: 'HDR',
      2: 'FEC',
      3: VERSION,
      4: 'SAMPLE',
      5: '1',
      6: amends[0] ?? '',
      7: amends[1] ?? '',
    }),
    coverCells(cycle, form, items),
    ...items.map((item) => itemCells(item, cycle)),
  ];
  return lines.map((cells) => `${cells.join(FIELD_SEPARATOR)}\n`).join('');
}

function coverCells(cycle: number, form: string, items: readonly Item[]): string[] {
  const itemized = sumOf(items, 'SA17A');
  const unitemized = 123_450;
  const cells = cellsOf(COVER_COLUMNS, {
    1: form,
    2: FILER.id,
    3: FILER.name,
    5: 'PO BOX 100',
    7: 'SPRINGFIELD',
    8: 'IL',
    9: '62701',
    12: 'M4',
    16: `${cycle}0301`,
    17: `${cycle}0331`,
    18: 'DOE',
    19: 'JANE',
    23: `${cycle}0420`,
    35: dollars(itemized),
    36: dollars(unitemized),
    37: dollars(itemized + unitemized),
    59: dollars(sumOf(items, 'SB28A')),
  });
  return cells.map((cell, index) => (index >= FIRST_AMOUNT && cell === '' ? '0.00' : cell));
}

const FIRST_AMOUNT = 23;

const sumOf = (items: readonly Item[], line: string): number =>
  items.reduce((sum, item) => (item.line === line && !item.isMemo ? sum + item.cents : sum), 0);

function itemCells({ line, id, person, day, cents, memoText = '', isMemo = false }: Item, cycle: number): string[] {
  const isReceipt = line.startsWith('SA');
  const memoColumn = isReceipt ? 43 : 42;
  return cellsOf(isReceipt ? RECEIPT_COLUMNS : DISBURSEMENT_COLUMNS, {
    1: line,
    2: FILER.id,
    3: id,
    6: 'IND',
    8: person.last,
    9: person.first,
    10: person.middle,
    13: person.street,
    15: person.city,
    16: person.state,
    17: person.zip,
    18: `P${cycle}`,
    20: formatCivilDay(day).replaceAll('-', ''),
    21: dollars(cents),
    23: isReceipt ? '' : 'REFUND',
    24: isReceipt ? person.employer : '',
    25: isReceipt ? person.occupation : '',
    [memoColumn]: isMemo ? 'X' : '',
    [memoColumn + 1]: memoText,
  });
}

const cellsOf = (count: number, cells: Readonly<Record<number, string>>): string[] =>
  Array.from({ length: count }, (_, index) => cells[index + 1] ?? '');

const dollars = (cents: number): string => (cents / 100).toFixed(2);
