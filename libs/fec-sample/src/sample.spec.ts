import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as yauzl from 'yauzl';
import { CELL, FIELD_SEPARATOR, ImportRecordReader, ItcontScanner, parseCents, receivedOn } from '@donorlens/tabular';
import { donorName } from '@donorlens/demographics';
import { type CountReason, countingOf } from '@donorlens/campaign-finance';
import { sampleItcont } from './sample-itcont';
import { FIRST_NAMES, SURNAMES } from './sample-person';
import { writeSampleFiles } from './write-sample-files';

const CAMPAIGN = new Set([1, 2, 3, 4, 5, 6].map((number) => `C9990000${number}`));

async function members(path: string): Promise<Map<string, string>> {
  const zip = await yauzl.openPromise(path);
  const texts = new Map<string, string>();
  for await (const entry of zip.eachEntry())
    texts.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString('latin1'));
  return texts;
}

function scanned(pieces: Iterable<Buffer>, cycle: number) {
  const kept: Buffer[] = [];
  const codes = new Set<string>();
  const cycles = new Set<number>();
  const scanner = new ItcontScanner(
    { committees: CAMPAIGN, fileCycle: cycle },
    {
      kept: (bytes, length, rowCycle) => {
        kept.push(Buffer.from(bytes.subarray(0, length)));
        cycles.add(rowCycle);
      },
      rejected: (_, code) => codes.add(code),
    },
  );
  for (const piece of pieces) scanner.push(piece);
  scanner.finish();
  return { counts: scanner.counts, kept: Buffer.concat(kept), codes, cycles };
}

describe('the synthetic campaign', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sample-'));
    await writeSampleFiles(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const at = (path: string): string => join(folder, path);

  it('has the layout of the official files and the marker of a sample', async () => {
    expect((await readdir(at('fec/2020'))).sort()).toEqual(['ccl20.zip', 'cm20.zip', 'cn20.zip', 'indiv20.zip']);
    expect((await readdir(at('fec/2024'))).sort()).toEqual(['ccl24.zip', 'cm24.zip', 'cn24.zip', 'indiv24.zip']);
    expect([...(await members(at('fec/2024/indiv24.zip'))).keys()]).toEqual(['itcont.txt']);
    expect(await readdir(at('fec/efiling'))).toHaveLength(2);
    expect(await readFile(at('sample.json'), 'utf8')).toContain('"label": "sample"');
  });

  it('has 20,000 lines over both cycles, and the columns of each file', async () => {
    const columns = { cn: 15, cm: 15, ccl: 7 };
    let lines = 0;
    for (const cycle of ['2020', '2024']) {
      const year = cycle.slice(2);
      for (const [kind, count] of Object.entries(columns)) {
        const text = (await members(at(`fec/${cycle}/${kind}${year}.zip`))).get(`${kind}.txt`) ?? '';
        const rows = text.trimEnd().split('\n');
        expect(rows.map((row) => row.split('|').length)).toEqual(rows.map(() => count));
      }
      const itcont = (await members(at(`fec/${cycle}/indiv${year}.zip`))).get('itcont.txt') ?? '';
      lines += itcont.split('\n').length - 1;
    }
    expect(lines).toBe(20_000);
  });

  it('has a committee with gifts in the later cycle without a linkage there', async () => {
    const linkages = async (year: string): Promise<string> =>
      (await members(at(`fec/20${year}/ccl${year}.zip`))).get('ccl.txt') ?? '';
    expect(await linkages('20')).toContain('C99900004');
    expect(await linkages('24')).not.toContain('C99900004');
    expect((await members(at('fec/2024/indiv24.zip'))).get('itcont.txt')).toContain('C99900004|');
  });

  it('has the same bytes when written again', async () => {
    const again = await mkdtemp(join(tmpdir(), 'sample-'));
    await writeSampleFiles(again);
    for (const path of ['fec/2020/indiv20.zip', 'fec/2024/ccl24.zip', 'fec/efiling/2024002.fec'])
      expect((await readFile(join(again, path))).equals(await readFile(at(path)))).toBe(true);
    await rm(again, { recursive: true });
  });

  it('has filings that add up to their summary lines, with people of known counties; the second amends the first', async () => {
    const counties = await readFile(
      resolve(__dirname, '../../reference-data/sample/census/geo/national_county.txt'),
      'latin1',
    );
    const statesWithCounties = new Set(counties.split('\n').map((line) => line.slice(0, 2)));
    for (const [name, amends] of [
      ['2024001.fec', ''],
      ['2024002.fec', 'FEC-2024001'],
    ]) {
      const text = await readFile(at(`fec/efiling/${name}`), 'latin1');
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(FIELD_SEPARATOR));
      const gifts = lines.filter((cells) => cells[0] === 'SA17A' && cells[42] === '');
      const sum = gifts.reduce((total, cells) => total + parseCents(cells[20]), 0);
      expect(parseCents(lines[1][34])).toBe(sum);
      expect(lines[0][5]).toBe(amends);
      expect(gifts.every((cells) => cells[12] !== '')).toBe(true);
      expect(gifts.filter((cells) => !statesWithCounties.has(cells[15]))).toEqual([]);
    }
  });
});

describe('synthetic contributions', () => {
  it('have every case of the rules', () => {
    const { kept, counts, codes, cycles } = scanned(sampleItcont({ rows: 40_000, cycle: 2024 }), 2024);
    expect(counts.linesRead).toBe(40_000);
    expect(counts.kept).toBeGreaterThan(25_000);
    expect(counts.conduitRows).toBeGreaterThan(4000);
    expect(codes.size).toBeGreaterThan(3);
    expect([...cycles].sort()).toEqual([2022, 2024, 2026]);

    const reasons = new Set<CountReason>();
    const zips = new Set<number>();
    const ids = new Map<string, number>();
    const record = new ImportRecordReader(kept, 'contributions');
    while (record.next()) {
      zips.add(record.text(CELL.ZIP_CODE).length);
      ids.set(record.text(CELL.SUB_ID), (ids.get(record.text(CELL.SUB_ID)) ?? 0) + 1);
      const { reason } = countingOf({
        transactionType: record.text(CELL.TRANSACTION_TP),
        entityType: record.text(CELL.ENTITY_TP),
        memoCode: record.text(CELL.MEMO_CD),
        memoText: record.text(CELL.MEMO_TEXT),
        otherId: record.text(CELL.OTHER_ID),
        isKeptForFiler: record.cells === 21,
        line: '',
        amountCents: parseCents(record.text(CELL.TRANSACTION_AMT)),
        hasDate: !Number.isNaN(receivedOn(record.text(CELL.TRANSACTION_DT), 2024)),
        hasName: donorName(record.text(CELL.NAME), record.text(CELL.ENTITY_TP)).surname !== '',
      });
      reasons.add(reason);
    }
    expect([...reasons].sort()).toEqual(
      [
        'conduit_copy',
        'earmark',
        'gift',
        'joint_fundraising_memo',
        'memo',
        'negative',
        'no_date',
        'not_individual',
        'refund',
        'zero',
      ].sort(),
    );
    expect([...zips].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...ids.values()].filter((count) => count > 1).length).toBeGreaterThan(5);
  });

  it('can be of presidential committees only', () => {
    const { counts } = scanned(sampleItcont({ rows: 5000, cycle: 2024, presidentialOnly: true }), 2024);
    expect(counts.otherCommittees).toBe(0);
    expect(counts.kept + counts.rejected).toBe(5000);
  });

  it('follow from seed and cycle', () => {
    const text = (cycle: number, seed: number): string =>
      Buffer.concat([...sampleItcont({ rows: 100, cycle, seed })]).toString('latin1');
    expect(text(2024, 1)).toBe(text(2024, 1));
    expect(new Set([text(2024, 1), text(2024, 2), text(2020, 1)]).size).toBe(3);
  });

  it('have names of which the reference sample lists nine in ten', async () => {
    const reference = resolve(__dirname, '../../reference-data/sample');
    const births = await members(join(reference, 'ssa/names.zip'));
    const firsts = new Set(
      [...births.values()].flatMap((text) => text.split('\n').map((line) => line.split(',')[0].toUpperCase())),
    );
    const census = await members(join(reference, 'census/surnames/2010/names.zip'));
    const lasts = new Set([...census.values()].flatMap((text) => text.split('\n').map((line) => line.split(',')[0])));
    const known = (names: readonly string[], list: ReadonlySet<string>): number =>
      names.filter((name) => list.has(name.replace("'", ''))).length / names.length;
    expect(known(FIRST_NAMES, firsts)).toBeGreaterThan(0.9);
    expect(known(SURNAMES, lasts)).toBeGreaterThan(0.9);
  });
});
