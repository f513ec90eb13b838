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
import { markImported } from './reenrich.repository';
import { type ContributionsDetail, type ImportReport, detailOf, newDetail } from './contributions-report';
import { conduitSummary, cyclesOf, guardMissing, rejectedByWorkers, summary } from './import-rows.store';
import { ChangedTextError, ItcontReading } from './itcont-reading';

/** A file of individual contributions: the publisher's zip, or its text as it is or gzipped. */
export interface ContributionsFile {
  readonly cycle: number;
  /** Path on this machine. */
  readonly file: string;
  /** How it is called: its address or name. */
  readonly source: string;
  readonly label: SourceLabel;
  /** Of the file as published, in hex. */
  readonly sha256: string;
  /** Also where this very file was imported before. */
  readonly again?: boolean;
  /** Also removes what it does not hold any more where that is suspiciously much. */
  readonly removeMissing?: boolean;
}

const DISK_FULL = '53100';

/** The large zips hold all rows twice: once whole, and once more by date, in a folder. */
const ITCONT: MemberOf = { member: 'itcont.txt', ignored: /^by_date\// };

/**
 * Reads a file of contributions and has workers enrich the rows of committees of the offices to import, into a snapshot
 * beside the stored cycle. Readers see its rows, and lose those that the file lacks, in one transaction at the end.
 *
 * A crash loses nothing and doubles nothing: the next import of the same file goes on at the last checkpoint, where the
 * text is still the same up to there. A file that is damaged, or that workers give up on, fails: the stored cycle stays as
 * it is, the snapshot is removed, and the same or another file is imported from its beginning.
 * @throws ImportBusyError, ImportError, StaleFenceError; what the signal says, where it stops the import
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
      return await this.through(begun, committees);
    } catch (error) {
      if (!(error instanceof ChangedTextError)) throw error;
      return this.through(await this.begin(detail, false), committees);
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

  private begin(detail: ContributionsDetail, mayGoOn: boolean): Promise<StoredImport> {
    const { cycle, label, source, sha256 } = this.request;
    return this.imports.begin(
      this.lease.fence,
      { kind: 'contributions', cycle, label, source, sha256, detail: { ...detail } },
      (earlier) =>
        mayGoOn &&
        detailOf(earlier).committees === detail.committees &&
        detailOf(earlier).releaseId === detail.releaseId,
      (client) => this.snapshot.create(client, detail.releaseId),
    );
  }

  /** @throws ChangedTextError, for which the import has to start over; ImportError, after which it has failed */
  private async through(stored: StoredImport, committees: ReadonlySet<string>): Promise<ImportReport> {
    try {
      const progress = this.teller(stored);
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
      .catch((err: unknown) => this.context.logger.warn({ err }, 'a failed import could not be ended'));
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
    // A snapshot is of the release that was active when it began, also where another one is active by now.
    const releases = async (): Promise<string | null> => (await this.context.releases()) && detailOf(stored).releaseId;
    return new ChunkWriter({
      pool,
      fence: this.lease.fence,
      filed: { importId: id, fileCycle: cycle, kind: 'contributions', fileNum: null },
      releases,
      chunkRows,
      signal: this.signal,
      onWait: (waiting) => progress.note(waiting),
    });
  }

  private teller({ bytesRead, bytesTotal, linesRead, kept, rejected }: StoredImport): ProgressReporter {
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
      await markImported(client, cycles);
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

  /** @returns rows removed @throws ImportError `rows_missing` */
  private async apply(client: PoolClient, cycles: readonly number[]): Promise<number> {
    if (cycles.length === 0) return 0;
    const { cycle, removeMissing = false } = this.request;
    const missing = await this.snapshot.compare(client, cycles, this.offices);
    if (!removeMissing) await guardMissing(client, cycle, missing);
    await this.snapshot.apply(client, cycles);
    return missing;
  }

  /** Sums of an import that is done. They are read after its last transaction, which keeps readers waiting. */
  private async report(stored: StoredImport): Promise<ImportReport> {
    const { ended, rejectedBy, conduitRows, otherCommittees } = detailOf(stored);
    const { id: importId, cycle, linesRead, kept } = stored;
    const [sums, conduits] = await Promise.all([
      this.untimed((client) => summary(client, cycle)),
      this.untimed((client) => conduitSummary(client, cycle)),
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

  private untimed<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.context.pool, read, { statementTimeoutMs: 0 });
  }
}
