import { isEnrichedWith, markEnriched, recordsAfter, labelOfRows } from './reenrich.repository';
import { ChunkWriter } from '../engine/chunk-writer';
import { type ImportLease, underLease } from '../engine/import-lease';
import { ImportRepository } from '../engine/import.repository';
import { type StoredImport } from '../engine/stored-import';
import { type ImportContext, ProgressReporter } from '../import-context';
import { ImportError } from '../import-error';

export interface Reenrichment {
  readonly cycle: number;
  readonly releaseId: string;
}

export interface ReenrichReport {
  /** Null if all rows were up to date. */
  readonly importId: string | null;
  /** `unchanged`: all rows of the cycle already had the values of the release. */
  readonly outcome: 'reenriched' | 'unchanged';
  readonly cycle: number;
  readonly releaseId: string;
  /** Rows that were enriched again; rows with the same values were not rewritten. */
  readonly rows: number;
}

/** State of a re-enrichment: the data release, and the row after which to resume. */
interface ReenrichDetail {
  readonly releaseId: string;
  readonly after: string;
}

const BEFORE_ALL = String(-(2n ** 63n));
const LF = 10;

/**
 * Workers enrich the stored rows of a cycle with another data release. Only enriched values may change and, by newer
 * rules for names, donors. After an interruption, it resumes at the last checkpoint.
 * @throws the errors of importContributions
 */
export const reenrich = (context: ImportContext, request: Reenrichment): Promise<ReenrichReport> =>
  underLease(context, (lease) => reenrichUnder(context, lease, request));

async function reenrichUnder(
  context: ImportContext,
  lease: ImportLease,
  { cycle, releaseId }: Reenrichment,
): Promise<ReenrichReport> {
  if (await isEnrichedWith(context.pool, cycle, releaseId))
    return { importId: null, outcome: 'unchanged', cycle, releaseId, rows: 0 };
  const imports = new ImportRepository(context.pool);
  const detail: ReenrichDetail = { releaseId, after: BEFORE_ALL };
  const stored = await imports.begin(
    lease.fence,
    {
      kind: 'reenrich',
      cycle,
      label: await labelOfRows(context.pool),
      source: releaseId,
      sha256: null,
      detail: { ...detail },
    },
    (earlier) => detailOf(earlier).releaseId === releaseId,
  );
  try {
    await passRecords(context, lease, stored);
    let rows = 0;
    await imports.finish(lease.fence, stored.id, async (client, { kept }) => {
      await markEnriched(client, cycle, releaseId);
      rows = kept;
      return {};
    });
    return { importId: stored.id, outcome: 'reenriched', cycle, releaseId, rows };
  } catch (error) {
    if (error instanceof ImportError) await imports.fail(lease.fence, stored.id, error.code);
    throw error;
  }
}

async function passRecords(context: ImportContext, lease: ImportLease, stored: StoredImport): Promise<void> {
  const { pool, chunkRows } = context;
  const signal = context.signal ? AbortSignal.any([context.signal, lease.signal]) : lease.signal;
  const { bytesRead, linesRead, kept, rejected, bytesTotal } = stored;
  const start = { bytesRead, bytesTotal, linesRead, kept, rejected, rowsDone: 0, isStalled: false };
  const progress = new ProgressReporter(context.onProgress, { phase: 'reading', ...start });
  const { releaseId, after } = detailOf(stored);
  const writer = new ChunkWriter({
    pool,
    fence: lease.fence,
    importSpec: { importId: stored.id, fileCycle: stored.cycle, kind: 'reenrich', fileNum: null },
    releases: () => Promise.resolve(releaseId),
    chunkRows,
    signal,
    onWait: (waiting) => progress.note(waiting),
  });
  let position = { bytesRead, linesRead, after };
  for (;;) {
    signal.throwIfAborted();
    const { bytes, last } = await recordsAfter(pool, stored.cycle, position.after);
    if (last === null) break;
    const rows = addRecords(writer, bytes);
    position = { bytesRead: position.bytesRead + bytes.length, linesRead: position.linesRead + rows, after: last };
    await writer.checkpoint({ ...position, prefixSha256: null, detail: { after: last } });
    progress.note({ bytesRead: position.bytesRead, linesRead: position.linesRead, kept: position.linesRead });
  }
  progress.note({ phase: 'enriching' });
  await writer.drain();
  progress.note({ phase: 'finishing' });
}

function addRecords(writer: ChunkWriter, bytes: Buffer): number {
  let rows = 0;
  for (let from = 0, to = bytes.indexOf(LF); to >= 0; from = to + 1, to = bytes.indexOf(LF, from)) {
    writer.add(bytes, from, to);
    rows++;
  }
  return rows;
}

const detailOf = (stored: StoredImport): ReenrichDetail => stored.detail as unknown as ReenrichDetail;
