import { setImmediate } from 'node:timers/promises';
import { type AgeRow, type CumulativeDonorsRow } from '@donorlens/charts';
import { AGE_DISTRIBUTION, CUMULATIVE_DONORS, OVERLAP, RETENTION } from './data-tables';
import { dollars, tableCsv, tableJson } from './table-body';

const FILES = 5;
const PIECES = 4;
const ROW: CumulativeDonorsRow = { cycle: 2016, candidateId: 'P00000001', date: '2015-01-01', donors: 1 };
const ROWS = Array<CumulativeDonorsRow>(PIECES * 4096).fill(ROW);

describe('dollars', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [-5, '-0.05'],
    [2550, '25.50'],
    [-2550, '-25.50'],
    [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
  ])('are whole cents written with two decimals: %i is %s', (cents, text) => {
    expect(dollars(cents)).toBe(text);
  });
});

describe('a written table', () => {
  const AGES: readonly AgeRow[] = [
    { cycle: 2016, committeeId: 'C00000001', ageYears: 0, donors: 1, contributions: 2, amountCents: -2550 },
    { cycle: 2016, committeeId: 'C00000001', ageYears: null, donors: 0, contributions: 1, amountCents: 29 },
  ];
  const textOf = async (file: AsyncIterable<Buffer>): Promise<string> => {
    const all: Buffer[] = [];
    for await (const piece of file) all.push(piece);
    return Buffer.concat(all).toString();
  };

  it('has shares in percent, and lift as shared donors relative to those expected by chance', async () => {
    const donors = { cycle: 2016, candidateId: 'P00000001', donors: 200 };
    const pair = { ...donors, otherCandidateId: 'P00000002', shared: 50, otherDonors: 100, fieldDonors: 1_000 };
    expect(await textOf(tableCsv(OVERLAP.columns, [pair], false))).toBe(
      'CYCLE,CAND_ID,OTHER_CAND_ID,SHARED_DONORS,SHARE_OF_DONORS,LIFT\n2016,P00000001,P00000002,50,25,2.5\n',
    );
    const years = [
      { ...donors, returning: 30, again: 25 },
      { ...donors, returning: null, again: null },
    ];
    expect(await textOf(tableCsv(RETENTION.columns, years, false))).toBe(
      'CYCLE,CAND_ID,DONORS,NEW,RETURNING,LAPSED,RETENTION\n2016,P00000001,200,170,30,175,12.5\n2016,P00000001,200,,,,\n',
    );
  });

  it('has dollars with two decimals and empty cells for unknown values in CSV', async () => {
    expect(await textOf(tableCsv(AGE_DISTRIBUTION.columns, AGES, false))).toBe(
      'CYCLE,CMTE_ID,AGE,DONORS,CONTRIBUTIONS,AMOUNT\n2016,C00000001,0,1,2,-25.50\n2016,C00000001,,0,1,0.29\n',
    );
  });

  it('has numbers and null in JSON', async () => {
    expect(await textOf(tableJson(AGE_DISTRIBUTION.columns, AGES))).toBe(
      '{"results":[{"cycle":2016,"cmte_id":"C00000001","age":0,"donors":1,"contributions":2,"amount":-25.5},\n' +
        '{"cycle":2016,"cmte_id":"C00000001","age":null,"donors":0,"contributions":1,"amount":0.29}]}\n',
    );
  });
});

describe('long files that are written at the same time', () => {
  it.each([
    ['CSV', () => tableCsv(CUMULATIVE_DONORS.columns, ROWS, false)],
    ['JSON', () => tableJson(CUMULATIVE_DONORS.columns, ROWS)],
  ])('write one piece per iteration of the event loop in total: %s', async (_format, file) => {
    const made: Buffer[] = [];
    const read = async (): Promise<void> => {
      for await (const piece of file()) made.push(piece);
    };
    let isWriting = true;
    const written = Promise.all(Array.from({ length: FILES }, read)).then(() => (isWriting = false));
    let most = 0;
    for (let before = FILES; isWriting; before = made.length) {
      await setImmediate();
      most = Math.max(most, made.length - before);
    }
    await written;
    expect(made).toHaveLength(FILES * (PIECES + 1)); // the last piece ends the file
    expect(most).toBe(1);
  });
});
