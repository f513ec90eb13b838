import { type PoolClient } from 'pg';
import { ContributionSnapshot, ContributionStore, MastersRepository } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { DEFAULT_OFFICES, type FecOffice } from '@donorlens/primitives';
import { LocationRepository } from '@donorlens/locations';
import { type MemberOf, openText, verifyFile } from '../sources/text-file';
import { ChunkWriter } from '../engine/chunk-writer';
import { type ImportLease, underLease } from '../engine/import-lease';
import { ImportRepository, guardSample } from '../engine/import.repository';
import { type SourceLabel, type StoredImport } from '../engine/stored-import';
import { type ImportContext, ProgressReporter } from '../import-context';
import { ImportError, diskFullError, noMastersError } from '../import-error';
import { recordCycleReleases } from './reenrich.repository';
import { type ContributionsDetail, type ImportReport, detailOf, newDetail } from './contributions-report';
import { conduitSummary, cyclesOf, guardMissing, rejectedByWorkers, summary } from './import-rows.store';
import { ChangedTextError, ItcontReading } from './itcont-reading';

/** A file of individual contributions: the zip of the FEC, or its text, plain or gzipped. */
export interface ContributionsFile {
  readonly cycle: number;
  /** Path on this machine. */
  readonly file: string;
  /** URL or name of the file, for reports. */
  readonly source: string;
  readonly label: SourceLabel;
  /** SHA-256 of the file as published, in hex. */
  readonly sha256: string;
  /** Imports the file even if it was imported before. */
  readonly again?: boolean;
  /** Removes rows that the file no longer contains even if they are suspiciously many. */
  readonly removeMissing?: boolean;
}

const DISK_FULL = '53100';

/** The large zips contain all rows twice: in one file, and by date in a folder. */
const ITCONT: MemberOf = { member: 'itcont.txt', ignored: /^by_date\// };

/**
 * Imports a file of contributions. Workers enrich the rows of committees of the imported offices and store them in a
 * snapshot beside the stored cycle. One transaction at the end makes the rows visible and removes the rows that the
 * file lacks.
 *
 * After a crash, the next import of the same file resumes at the last checkpoint if the text up to there is unchanged:
 * no row is lost or stored twice. If the file is damaged or workers fail, the import fails: the stored cycle stays
 * unchanged, the snapshot is removed, and the next import starts from the beginning.
 * @throws ImportBusyError, ImportError, StaleFenceError, or the reason of the signal
 */
export const importContributions = (context: ImportContext, request: ContributionsFile): Promise<ImportReport> =>
  underLease(context, (lease) => new ContributionsImport(context, lease, request).run());

class ContributionsImport {
  private readonly imports: ImportRepository;
  private readonly store: ContributionStore;
  private readonly snapshot: ContributionSnapshot;
  private readonly signal: AbortSignal;

  constructor(
    private readonly context: ImportContext,
    private readonly lease: ImportLease,
    private readonly request: ContributionsFile,
  ) {
    this.imports = new ImportRepository(context.pool);
    this.store = new ContributionStore(new LocationRepository(context.pool, null));
    this.snapshot = new ContributionSnapshot(request.cycle);
    this.signal = context.signal ? AbortSignal.any([context.signal, lease.signal]) : lease.signal;
  }

  private get offices(): readonly FecOffice[] {
    return this.context.offices ?? DEFAULT_OFFICES;
  }

  async run(): Promise<ImportReport> {
    await guardSample(this.context.pool, this.request.label, this.request.cycle);
    const committees = await this.committees();
    const detail = newDetail(committees, await this.context.releases());
    const before = await this.importedBefore(detail);
    if (before) return before;
    const begun = await this.begin(detail, await this.snapshot.isUsable(this.context.pool));
    try {
      return await this.readAndStore(begun, committees);
    } catch (error) {
      if (!(error instanceof ChangedTextError)) throw error;
      return this.readAndStore(await this.begin(detail, false), committees);
    }
  }

  private async committees(): Promise<ReadonlySet<string>> {
    const { cycle } = this.request;
    const masters = new MastersRepository(this.context.pool);
    if (await masters.hasCycle(cycle)) return masters.committeesOf(this.offices, cycle);
    throw noMastersError(`candidates and committees of ${cycle} are not loaded`, cycle);
  }

  private async importedBefore({ committees }: ContributionsDetail): Promise<ImportReport | null> {
    const { cycle, sha256, again, removeMissing } = this.request;
    if (again || removeMissing) return null;
    const newest = await this.imports.newestDone('contributions', cycle);
    if (newest?.sha256 !== sha256) return null;
    if (detailOf(newest).committees !== committees) return null;
    return { ...(detailOf(newest).report ?? (await this.report(newest))), outcome: 'unchanged' };
  }

  private begin(detail: ContributionsDetail, canResume: boolean): Promise<StoredImport> {
    const { cycle, label, source, sha256 } = this.request;
    return this.imports.begin(
      this.lease.fence,
      { kind: 'contributions', cycle, label, source, sha256, detail: { ...detail } },
      (earlier) =>
        canResume &&
        detailOf(earlier).committees === detail.committees &&
        detailOf(earlier).releaseId === detail.releaseId,
      (client) => this.snapshot.create(client, detail.releaseId),
    );
  }

  /** @throws ChangedTextError if the import has to start over; ImportError if it has failed */
  private async readAndStore(stored: StoredImport, committees: ReadonlySet<string>): Promise<ImportReport> {
    try {
      const progress = this.progressReporter(stored);
      const writer = this.writer(stored, progress);
      await this.read(stored, committees, writer, progress);
      progress.note({ phase: 'enriching' });
      await writer.drain();
      progress.note({ phase: 'finishing' });
      return await this.finish(stored);
    } catch (thrown) {
      const error = (thrown as { code?: unknown }).code === DISK_FULL ? diskFullError() : thrown;
      if (error instanceof ImportError && error.code !== 'no_release') await this.fail(stored.id, error.code);
      throw error;
    }
  }

  private async fail(importId: string, code: string): Promise<void> {
    await this.imports
      .fail(this.lease.fence, importId, code)
      .then(() => this.snapshot.remove(this.context.pool))
      .catch((err: unknown) => this.context.logger.warn({ err }, 'failed import could not be marked as failed'));
  }

  private async read(
    stored: StoredImport,
    committees: ReadonlySet<string>,
    writer: ChunkWriter,
    progress: ProgressReporter,
  ): Promise<void> {
    await verifyFile(this.request.file, ITCONT, this.signal);
    const text = await openText(this.request.file, ITCONT);
    try {
      progress.note({ bytesTotal: text.bytes });
      const { signal } = this;
      await new ItcontReading({ stored, committees, writer, progress, signal }).readToEnd(text);
    } finally {
      text.close();
    }
  }

  private writer(stored: StoredImport, progress: ProgressReporter): ChunkWriter {
    const { id, cycle } = stored;
    const { pool, chunkRows } = this.context;
    // All rows of a snapshot are enriched with the release that was active at its start, even if another one is active
    // now.
    const releases = async (): Promise<string | null> => (await this.context.releases()) && detailOf(stored).releaseId;
    return new ChunkWriter({
      pool,
      fence: this.lease.fence,
      importSpec: { importId: id, fileCycle: cycle, kind: 'contributions', fileNum: null },
      releases,
      chunkRows,
      signal: this.signal,
      onWait: (waiting) => progress.note(waiting),
    });
  }

  private progressReporter({ bytesRead, bytesTotal, linesRead, kept, rejected }: StoredImport): ProgressReporter {
    const counts = { bytesRead, bytesTotal, linesRead, kept, rejected, rowsDone: 0 };
    return new ProgressReporter(this.context.onProgress, { phase: 'reading', ...counts, isStalled: false });
  }

  private async finish(stored: StoredImport): Promise<ImportReport> {
    const { rows, isFirst } = await this.snapshot.complete(this.context.pool);
    await this.imports.finish(this.lease.fence, stored.id, async (client, { id, kept }) => {
      const rejected = await rejectedByWorkers(client, id);
      const lost = Object.values(rejected).reduce((sum, lines) => sum + lines, 0);
      const cycles = await cyclesOf(client, stored.cycle);
      const removed = isFirst ? await this.swap(client, cycles) : await this.apply(client, cycles);
      const amended = await this.store.removeAmendedRows(client);
      await this.store.removeReplacedRows(client);
      await recordCycleReleases(client, cycles);
      await this.snapshot.remove(client);
      return { ended: { rejected, duplicates: kept - lost - rows, removed, amended } };
    });
    return this.report((await this.imports.newestDone('contributions', stored.cycle)) ?? stored);
  }

  private async swap(client: PoolClient, cycles: readonly number[]): Promise<number> {
    const others = cycles.filter((cycle) => cycle !== this.request.cycle);
    const removed = await this.apply(client, others);
    if (await this.snapshot.swap(client)) return removed;
    return removed + (await this.apply(client, [this.request.cycle]));
  }

  /** @returns the number of rows removed @throws ImportError `rows_missing` */
  private async apply(client: PoolClient, cycles: readonly number[]): Promise<number> {
    if (cycles.length === 0) return 0;
    const { cycle, removeMissing = false } = this.request;
    const missing = await this.snapshot.compare(client, cycles, this.offices);
    if (!removeMissing) await guardMissing(client, cycle, missing);
    await this.snapshot.apply(client, cycles);
    return missing;
  }

  /** Sums of a completed import. They are read after the last transaction, because readers wait for that one. */
  private async report(stored: StoredImport): Promise<ImportReport> {
    const { ended, rejectedBy, conduitRows, otherCommittees } = detailOf(stored);
    const { id: importId, cycle, linesRead, kept } = stored;
    const [sums, conduits] = await Promise.all([
      this.withoutTimeout((client) => summary(client, cycle)),
      this.withoutTimeout((client) => conduitSummary(client, cycle)),
    ]);
    const report: ImportReport = {
      ...{ importId, outcome: 'imported', cycle, linesRead, kept, otherCommittees },
      ...{ duplicates: 0, removed: 0, amended: 0, ...ended, ...sums },
      conduits: { kept: conduitRows, ...conduits },
      rejected: { ...rejectedBy, ...ended?.rejected },
    };
    await this.imports.describe(importId, { report });
    return report;
  }

  private withoutTimeout<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.context.pool, read, { statementTimeoutMs: 0 });
  }
}
