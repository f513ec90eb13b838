import fc from 'fast-check';
import { CELL, FIELD_SEPARATOR, csvText } from '@donorlens/tabular';
import { NAME_DETAIL_COLUMNS, type NameDetail } from '@donorlens/primitives';
import { ContributionWriter } from './contribution-writer';

const CELLS = 21;
const PREFIX = Buffer.from('2016,P00000001,');
const OTHER = Buffer.from('2016,P00000012,');
/** COPY text of the columns after the record, from age to the number of the release. */
const known = (place: string): string => [...Array<string>(9).fill(''), place, 't', 't', 'f', '0', '1'].join('\t');
const NO_SHARES = ','.repeat(9);
const ENDING = ',true,true,gift,release-1\n';
const END = `${NO_SHARES},,,,,,,SKIPPED${ENDING}`;
const COUNTIES = new Map([
  ['06037', { name: 'Los Angeles County', medianHouseholdIncome: 67_986 }],
  ['15005', { name: 'Kalawao, "the" County', medianHouseholdIncome: null }],
]);

const NO_DETAIL = Object.fromEntries(
  NAME_DETAIL_COLUMNS.map((column) => [column.toLowerCase(), null]),
) as unknown as NameDetail;

const written = (lines: string, raw: boolean, cut = lines.length, prefixes = [PREFIX], detail = false): string => {
  const writer = new ContributionWriter({
    raw,
    countyOf: (fips) => COUNTIES.get(fips) ?? null,
    zipCountyOf: (zip) =>
      zip === '90012' ? { county: { fips: '06037', ...COUNTIES.get('06037')! }, sharePct: 99.43 } : null,
    detail: detail && {
      donorIdOf: (key) => `id-${key}`,
      // a row without a day has another data release
      nameDetailOf: ({ name, entityType, on }) =>
        on === null ? null : { ...NO_DETAIL, first_name_key: name, surname_key: entityType, age_q25: on },
    },
    releaseId: (no) => `release-${no}`,
  });
  const bytes = Buffer.from(lines);
  return [bytes.subarray(0, cut), bytes.subarray(cut)]
    .filter((piece) => piece.length > 0)
    .map((piece) => writer.write(piece, prefixes).toString())
    .join('');
};
const copied = (record: readonly string[], place = ''): string =>
  `${record.join(FIELD_SEPARATOR).replaceAll('\\', '\\\\')}\t${known(place)}\n`;

const NO_NAMES = ','.repeat(NAME_DETAIL_COLUMNS.length);

describe('a row of the contributions file', () => {
  const cell = fc.oneof(
    fc.constantFrom(
      '',
      'SMITH, JOHN',
      '-25',
      '=1+1',
      ' =1',
      '@',
      '"',
      'A "B" C',
      '\\N',
      '\\',
      "O'NEIL",
      'JOSÉ, 李',
      '+1.5e3',
    ),
    fc.string({ unit: fc.constantFrom('A', ' ', ',', '"', '\\', '-', '=', '1', 'é', '𝒜'), maxLength: 12 }),
  );
  const record = fc.array(cell, { minLength: CELLS, maxLength: CELLS });

  it('has the same bytes as csv-stringify with the formula guard, for any split of the input', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.nat(), (records, raw, at) => {
        const lines = records.map((cells) => copied(cells)).join('');
        const expected = records
          .map((cells) => `${PREFIX.toString()}${csvText([cells], raw).slice(0, -1)}${END}`)
          .join('');
        const cut = at % Buffer.byteLength(lines);
        expect(written(lines, raw, cut)).toBe(expected);
        const twice = expected.replaceAll(/.+\n/g, (line) => line + line.replace(PREFIX.toString(), OTHER.toString()));
        expect(written(lines, raw, cut, [PREFIX, OTHER])).toBe(twice);
      }),
    );
  });

  it('has the known county, tract, block, income, address id and status of its address', () => {
    const cells = Array<string>(CELLS).fill('A');
    const id = '0123456789abcdef'.repeat(2);
    const places = [
      [`0,06037,123456,1001,${id}`, `06037,Los Angeles County,123456,1001,67986,${id},MATCH`],
      [`0,15005,000100,2000,${id}`, `15005,"Kalawao, ""the"" County",000100,2000,,${id},MATCH`],
      [`0,99999,,,${id}`, `99999,,,,,${id},MATCH`],
      ['1,,,,', ',,,,,,NO_MATCH'],
      ['2,06037,,,', '06037,Los Angeles County,,,67986,,TIE'],
      ['2,,,,', ',,,,,,TIE'],
      ['P', ',,,,,,PENDING'],
      ['', ',,,,,,SKIPPED'],
      [`0,06037,123457,1001,${id}`, `06037,Los Angeles County,123457,1001,67986,${id},MATCH`],
    ];
    const lines = written(places.map(([place]) => copied(cells, place)).join(''), false);
    expect(lines.split('\n').slice(0, -1)).toEqual(
      places.map(([, says]) => `${PREFIX.toString()}${cells.join(',')}${NO_SHARES},${says}${ENDING.trimEnd()}`),
    );
  });

  it('has county and income of its ZIP if it has no address, and with detail the source of the county', () => {
    const of = (state: string, zip: string): string[] =>
      Object.assign(Array<string>(CELLS).fill(''), { [CELL.STATE]: state, [CELL.ZIP_CODE]: zip });
    const rows = [
      [of('CA', '900121234'), '', ',06037,Los Angeles County,,,67986,,SKIPPED', ',zip,99.43'],
      [of('', '90012'), '', ',06037,Los Angeles County,,,67986,,SKIPPED', ',zip,99.43'],
      [of('ZZ', '90012'), '', ',,,,,,,SKIPPED', ',,'],
      [of('CA', '00000'), '', ',,,,,,,SKIPPED', ',,'],
      [of('CA', '90012'), 'P', ',,,,,,,PENDING', ',,'],
      [of('CA', '90012'), '1,,,,', ',,,,,,,NO_MATCH', ',,'],
      [of('CA', '90012'), '0,15005,,,', ',15005,"Kalawao, ""the"" County",,,,,MATCH', ',address,'],
    ] as const;
    for (const detail of [false, true]) {
      const keyed = (line: string, at: number) => (detail ? line.replace('\n', `\t\t${at % 3}\n`) : line);
      const lines = rows.map(([cells, place], at) => keyed(copied(cells, place), at)).join('');
      expect(written(lines, false, lines.length, [PREFIX], detail)).toBe(
        rows
          .map(([cells, , says, source], at) => {
            const id = at % 3 === 0 ? '' : `id-${at % 3}`; // key 0 means no donor
            const end = `${says}${ENDING.trimEnd()}${detail ? `${source},${id}${NO_NAMES}` : ''}\n`;
            return `${PREFIX.toString()}${cells.join(',')}${NO_SHARES}${end}`;
          })
          .join(''),
      );
    }
  });

  it('has detail of its name as filed, if it was enriched with the current data release', () => {
    const cells = Object.assign(Array<string>(CELLS).fill(''), { [CELL.NAME]: 'LEE\\ANN', [CELL.ENTITY_TP]: 'IND' });
    const keyed = copied(cells).replace('\n', '\t16861\t0\n');
    expect(written(keyed, false, 30, [PREFIX], true)).toBe(
      `${PREFIX.toString()}${cells.join(',')}${END.trimEnd()},,,,16861,,,,LEE\\ANN,IND,,,\n`,
    );
  });

  it('omits the additional cells of a filing after the 21 cells of the record', () => {
    const cells = Array.from({ length: CELLS }, (_, at) => String(at));
    expect(written(copied([...cells, 'SA17A', 'MADEUP', 'ANA']), false)).toBe(
      `2016,P00000001,${cells.join(',')}${END}`,
    );
  });

  it('can have long cells of quotes, which are doubled', () => {
    const cells = ['"'.repeat(5000), ...Array<string>(CELLS - 1).fill('"'.repeat(300))];
    expect(written(copied(cells), false)).toBe(`2016,P00000001,${csvText([cells]).slice(0, -1)}${END}`);
  });
});
