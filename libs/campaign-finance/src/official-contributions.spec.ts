import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as yauzl from 'yauzl';
import { OFFICIAL_DATA, describeWith } from '../../../test/support/tools';
import { CELL, ImportRecordReader, ItcontScanner } from '@donorlens/tabular';

/** Reads the only member of an official zip file, in pieces. */
async function* member(path: string): AsyncGenerator<Buffer> {
  const zip = await yauzl.openPromise(join(OFFICIAL_DATA, path), { autoClose: true });
  for await (const entry of zip.eachEntry())
    for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Buffer;
}

/** Committees that a linkage file links to a presidential candidate. */
async function presidentialCommittees(path: string): Promise<Set<string>> {
  const rows = (await text(member(path))).split('\n').map((line) => line.split('|'));
  return new Set(rows.filter((row) => row[0].startsWith('P') && /^[PAJ]$/.test(row[5])).map((row) => row[3]));
}

async function scan(pieces: AsyncIterable<Buffer>, committees: ReadonlySet<string>, fileCycle: number) {
  const kept: Buffer[] = [];
  const rejected: string[] = [];
  const scanner = new ItcontScanner(
    { committees, fileCycle },
    {
      kept: (bytes, length) => kept.push(Buffer.from(bytes.subarray(0, length))),
      rejected: (line, code) => rejected.push(`${line} ${code}`),
    },
  );
  for await (const piece of pieces) scanner.push(piece);
  scanner.finish();
  return { counts: scanner.counts, kept: Buffer.concat(kept), rejected };
}

describeWith('official data')('official contribution files', () => {
  it('have 1,242 rows of presidential committees in 10,000 of 2015-2017, and 329 conduit rows for them', async () => {
    const committees = await presidentialCommittees('fec/2016/ccl16.zip');
    const sample = createReadStream(join(OFFICIAL_DATA, 'fec/itcont/itcont-sample-2015-2017.txt'));
    const { counts, kept, rejected } = await scan(sample, committees, 2016);
    expect(rejected).toEqual([]);
    expect(counts).toEqual({
      linesRead: 10_000,
      kept: 1242 + 329,
      otherCommittees: 8429,
      conduitRows: 329,
      rejected: 0,
    });

    const record = new ImportRecordReader(kept, 'contributions');
    const rows = new Map<string, number>();
    while (record.next()) {
      const owner = record.text(record.cells === 22 ? CELL.LINE : CELL.CMTE_ID);
      const kind = `${record.cells === 22 ? 'conduit' : 'direct'} ${committees.has(owner)}`;
      rows.set(kind, (rows.get(kind) ?? 0) + 1);
    }
    expect(Object.fromEntries(rows)).toEqual({ 'direct true': 1242, 'conduit true': 329 });
  });

  it('have no rows of presidential committees in the 2020 cycle as of March 2019', async () => {
    const committees = await presidentialCommittees('fec/2020/ccl20.zip');
    const { counts, rejected } = await scan(member('fec/2020/indiv20.zip'), committees, 2020);
    expect(rejected).toEqual([]);
    expect(counts).toMatchObject({ linesRead: 70_671, kept: 0, otherCommittees: 70_671, rejected: 0 });
  });
});
