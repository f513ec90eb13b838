import { type ChunkRepository, type ClaimedChunk } from '@donorlens/batches';
import { ChunkMismatchError, enrichChunk } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type ChunkRows } from './chunk-rows.store';
import { RowByRowRetry } from './row-by-row-retry';

const LEASE = 15_000;
const addressKeys = new AddressKeys({ secret: 'secret of the tests', benchmark: 'b', vintage: 'v' });

describe('the row-by-row retry of a chunk', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const chunkOf = (rows: number, more: Partial<ClaimedChunk> = {}): ClaimedChunk => ({
    batchId: '0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10',
    seq: 0,
    leaseId: 'l',
    firstRow: 1,
    rows,
    attempts: 4,
    poisonRows: [],
    releaseId: release.id,
    spec: {
      batchId: '0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10',
      type: 'contributions',
      format: 'csv',
      columns: ['first_name', 'surname', 'date', 'street', 'city', 'state'],
      mapping: { first_name: 0, surname: 1, date: 2, street: 3, city: 4, state: 5 },
      minAge: null,
      firstRow: 1,
      rows,
      importSpec: null,
    },
    input: Buffer.from('Mary,Smith,2016-03-01,1 Made Up St,Springfield,IL\n'.repeat(rows)),
    ...more,
  });
  const runOf = (chunk: ClaimedChunk, isOurs: (row: number) => boolean = () => true, stopping = () => false) => {
    const marked: number[] = [];
    const markCurrentRow = (_: ClaimedChunk, row: number): Promise<boolean> => {
      marked.push(row);
      return new Promise((resolve) => resolve(isOurs(row)));
    };
    const run = new RowByRowRetry(
      { markCurrentRow } as Partial<ChunkRepository<ChunkRows>> as ChunkRepository<ChunkRows>,
      addressKeys,
    );
    return { marked, result: run.run(chunk, release, LEASE, stopping) };
  };

  it('gives the same result as a normal run, and marks each row in advance, except the poison row', async () => {
    const chunk = chunkOf(4, { poisonRows: [2] });
    const { marked, result } = runOf(chunk);
    const { copy, counts, addresses } = enrichChunk(chunk.spec, chunk.input, release, {
      poison: new Set([2]),
      addressKeys,
    });
    expect(await result).toMatchObject({ copy, counts, addresses });
    expect(addresses).toMatchObject([{ rows: 3, okRows: 3 }]);
    expect(marked).toEqual([1, 3, 4, 0]);
  });

  it('reads the chunk only once', async () => {
    const chunk = chunkOf(20_000); // one read per row would exceed the timeout of the test
    expect((await runOf(chunk).result)?.counts).toMatchObject({ ok: 20_000 });
  });

  it('stops at its next row if the lease is lost or the worker stops', async () => {
    const lost = runOf(chunkOf(4), (row) => row < 3);
    expect(await lost.result).toBeNull();
    expect(lost.marked).toEqual([1, 2, 3]);
    expect(await runOf(chunkOf(4), undefined, () => true).result).toBeNull();
  });

  it('retries a failed mark at most twice', async () => {
    let calls = 0;
    const failing = (times: number) => () => {
      if (++calls % (times + 1) !== 0) throw new Error('Connection terminated unexpectedly');
      return true;
    };
    expect((await runOf(chunkOf(4), failing(2)).result)?.counts).toMatchObject({ ok: 4 });
    await expect(runOf(chunkOf(4), failing(3)).result).rejects.toThrow('Connection terminated');
  });

  it('refuses a chunk with more or fewer rows than announced', async () => {
    const { input } = chunkOf(3);
    await expect(runOf(chunkOf(4, { input })).result).rejects.toThrow(ChunkMismatchError);
    await expect(runOf(chunkOf(2, { input })).result).rejects.toThrow(ChunkMismatchError);
  });
});
