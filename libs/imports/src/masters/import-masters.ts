import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Pool } from 'pg';
import {
  MasterFileError,
  type MasterReport,
  type MasterSourceFile,
  type Masters,
  MastersRepository,
  type ParsedMaster,
  parseCandidates,
  parseCommittees,
  parseLinkages,
} from '@donorlens/campaign-finance';
import { type Fence, holdLease, inTransaction } from '@donorlens/database';
import { DEFAULT_OFFICES, FEC_OFFICES, type FecOffice } from '@donorlens/primitives';
import { SourceError, ZipError, unzip } from '@donorlens/downloads';
import { SampleRefusedError } from '../import-error';
import { type FecFile, type FecFileOptions, type FecSource, fileName, pathInLayout } from '../sources/fec-source';
import { type MasterImport, MasterImportRepository } from './master-import.repository';
import { clearSample } from './sample.repository';

const MASTER_KINDS = ['cn', 'cm', 'ccl'] as const;
type MasterKind = (typeof MASTER_KINDS)[number];
type MasterFiles = Readonly<Record<MasterKind, FecFile>>;

export interface MasterFileReport extends MasterSourceFile, MasterReport {}

/** The three master files of a cycle. @throws SourceError if one is missing */
async function masterFiles(source: FecSource, cycle: number, options: FecFileOptions): Promise<MasterFiles> {
  const get = async (kind: MasterKind): Promise<FecFile> => {
    const found = await source.file({ cycle, kind }, options);
    if (found === null) throw new SourceError(source.location, `has no ${pathInLayout({ cycle, kind })}`);
    return found;
  };
  return { cn: await get('cn'), cm: await get('cm'), ccl: await get('ccl') };
}

/**
 * One checksum of the three files and the offices, in hex: with other offices, other rows of the same files are read.
 */
function checksumOf(files: MasterFiles, offices: readonly FecOffice[]): string {
  const hash = createHash('sha256');
  for (const kind of MASTER_KINDS) hash.update(`${kind} ${files[kind].sha256}\n`);
  if (offices.join() !== DEFAULT_OFFICES.join()) hash.update(`offices ${offices.join()}\n`);
  return hash.digest('hex');
}

/** @throws ZipError, MasterFileError */
async function readMasters(
  files: MasterFiles,
  cycle: number,
  offices: readonly FecOffice[],
): Promise<{ masters: Masters; files: MasterFileReport[] }> {
  const name = (kind: MasterKind): string => fileName({ cycle, kind });
  const candidates = parseCandidates(name('cn'), await member(files, 'cn', cycle), offices);
  const linkages = parseLinkages(name('ccl'), await member(files, 'ccl', cycle), cycle, offices);
  const committees = parseCommittees(name('cm'), await member(files, 'cm', cycle), linkages.rows, offices);
  const reported = (kind: MasterKind, { report }: ParsedMaster<unknown>): MasterFileReport => {
    const { source, sha256, bytes, retrievedAt } = files[kind];
    return { kind, source, sha256, bytes, retrievedAt, ...report };
  };
  return {
    masters: { candidates: candidates.rows, committees: committees.rows, linkages: linkages.rows },
    files: [reported('cn', candidates), reported('cm', committees), reported('ccl', linkages)],
  };
}

/** The only member of a published zip, unpacked. */
async function member(files: MasterFiles, kind: MasterKind, cycle: number): Promise<Buffer> {
  const members = await unzip(fileName({ cycle, kind }), await readFile(files[kind].path), {
    wanted: new RegExp(`^${kind}\\.txt$`),
    tolerated: /(?!)/, // nothing
    maxMembers: 1,
    maxMemberBytes: 256 << 20,
    maxTotalBytes: 256 << 20,
  });
  return [...members.values()][0];
}

export interface MastersOptions {
  readonly pool: Pool;
  readonly source: FecSource;
  readonly cycle: number;
  /** Offices to import, in addition to those stored from a source with the same label; by default the presidency. */
  readonly offices?: readonly FecOffice[];
  /** Lease of imports: no master row is written after another process has taken it. */
  readonly lease: Fence;
  readonly signal?: AbortSignal;
}

export interface MastersReport {
  /** `unchanged`: the newest import of the cycle had the same files and offices. */
  readonly outcome: 'imported' | 'unchanged';
  readonly importId: string;
  readonly cycle: number;
  readonly label: FecSource['label'];
  /** True if these were the first real data, which replaced the sample. */
  readonly sampleCleared: boolean;
  /** The files that were read; empty if unchanged. */
  readonly files: readonly MasterFileReport[];
}

/** Deleting a sample of millions of rows exceeds the default timeout. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

/**
 * Replaces candidates, committees and linkages of a cycle in one transaction: readers see the old cycle or the new one.
 * A faulty file leaves the stored rows unchanged. A second run changes nothing.
 * @throws SourceError, ZipError, MasterFileError, SampleRefusedError, StaleFenceError
 */
export async function importMasters({
  pool,
  source,
  cycle,
  offices,
  lease,
  signal,
}: MastersOptions): Promise<MastersReport> {
  const imports = new MasterImportRepository(pool);
  const files = await masterFiles(source, cycle, { signal });
  const report = { cycle, label: source.label, sampleCleared: false };
  const newest = await imports.newest(cycle);
  const masters = new MastersRepository(pool);
  const stored = newest?.label === source.label ? await masters.officesOf(cycle) : [];
  const wanted = FEC_OFFICES.filter((one) => (offices ?? DEFAULT_OFFICES).includes(one) || stored.includes(one));
  const sha256 = checksumOf(files, wanted);
  if (newest?.sha256 === sha256 && newest.label === source.label)
    return { ...report, outcome: 'unchanged', importId: newest.id, files: [] };
  const begun = importOf(source, cycle, lease, files, sha256);
  try {
    const read = await readMasters(files, cycle, wanted);
    return await inTransaction(
      pool,
      async (client) => {
        await holdLease(client, lease);
        const sampleCleared = source.label === 'sample' ? await refuseBesideRealData() : await clearSample(client);
        await masters.replaceCycle(client, cycle, read.masters);
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

function importOf(source: FecSource, cycle: number, lease: Fence, files: MasterFiles, sha256: string): MasterImport {
  return {
    cycle,
    label: source.label,
    source: source.location,
    sha256,
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
