import { type Pool } from 'pg';
import { MasterFileError, MastersRepository } from '@donorlens/campaign-finance';
import { type Fence, holdLease, inTransaction } from '@donorlens/database';
import { ZipError } from '@donorlens/downloads';
import { type FecSource } from '../sources/fec-source';
import { clearSample } from './clear-sample';
import { type MasterFileReport, type MasterFiles, checksumOf, masterFiles, readMasters } from './master-files';
import { type MasterImport, MasterImportRepository } from './master-import.repository';
import { SampleRefusedError } from './sample-refused-error';

export interface MastersOptions {
  readonly pool: Pool;
  readonly source: FecSource;
  readonly cycle: number;
  /** that of imports: nothing is written once it has another holder */
  readonly lease: Fence;
  readonly signal?: AbortSignal;
}

export interface MastersReport {
  /** unchanged: the three files are those of the newest import of the cycle; nothing was done */
  readonly outcome: 'imported' | 'unchanged';
  readonly importId: string;
  readonly cycle: number;
  readonly label: FecSource['label'];
  /** true where this was the first real data, so that every row of the sample is gone */
  readonly sampleCleared: boolean;
  /** what was read; empty where nothing was done */
  readonly files: readonly MasterFileReport[];
}

/** Clearing a sample of millions of rows takes more than a statement's usual time. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

/**
 * Loads candidates, committees and linkages of a cycle in place of those that are there, in one transaction: readers see
 * the old cycle or the new one. Whatever is wrong with a file, what is there stays. Run twice, the second does nothing.
 * @throws SourceError, ZipError, MasterFileError, SampleRefusedError, StaleFenceError
 */
export async function importMasters({ pool, source, cycle, lease, signal }: MastersOptions): Promise<MastersReport> {
  const imports = new MasterImportRepository(pool);
  const files = await masterFiles(source, cycle, { signal });
  const report = { cycle, label: source.label, sampleCleared: false };
  const newest = await imports.newest(cycle);
  if (newest?.sha256 === checksumOf(files) && newest.label === source.label)
    return { ...report, outcome: 'unchanged', importId: newest.id, files: [] };
  const begun = importOf(source, cycle, lease, files);
  try {
    const read = await readMasters(files, cycle);
    return await inTransaction(
      pool,
      async (client) => {
        await holdLease(client, lease);
        const sampleCleared = source.label === 'sample' ? await refuseBesideRealData() : await clearSample(client);
        await new MastersRepository(pool).replaceCycle(client, cycle, read.masters);
        const importId = await imports.finish(client, { ...begun, ...totalsOf(read.files) });
        return { ...report, outcome: 'imported' as const, importId, sampleCleared, files: read.files };

        async function refuseBesideRealData(): Promise<false> {
          if (await imports.hasRealData(client)) throw new SampleRefusedError();
          return false;
        }
      },
      { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    );
  } catch (error) {
    if (error instanceof ZipError || error instanceof MasterFileError) await imports.fail(begun, error.code);
    throw error;
  }
}

function importOf(source: FecSource, cycle: number, lease: Fence, files: MasterFiles): MasterImport {
  return {
    cycle,
    label: source.label,
    source: source.location,
    sha256: checksumOf(files),
    epoch: String(lease.epoch),
    bytes: files.cn.bytes + files.cm.bytes + files.ccl.bytes,
    lines: 0,
    kept: 0,
    rejected: 0,
    detail: {},
  };
}

function totalsOf(files: readonly MasterFileReport[]): Pick<MasterImport, 'lines' | 'kept' | 'rejected' | 'detail'> {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    lines: sum(files.map(({ lines }) => lines)),
    kept: sum(files.map(({ kept }) => kept)),
    rejected: sum(files.flatMap(({ rejected }) => Object.values(rejected))),
    detail: { files },
  };
}
