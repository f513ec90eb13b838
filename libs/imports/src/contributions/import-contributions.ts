import { ContributionStore, MastersRepository } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { DEFAULT_OFFICES, type FecOffice } from '@donorlens/primitives';
import { LocationRepository } from '@donorlens/locations';
import { type MemberOf, openText, verifyFile } from '../sources/text-file';
import { ChunkWriter } from '../engine/chunk-writer';
import { type ImportLease, underLease } from '../engine/import-lease';
import { ImportRepository, guardSample } from '../engine/import.repository';
import { type SourceLabel, type StoredImport } from '../engine/stored-import';
import { type ImportContext, ProgressReporter } from '../import-context';
import { ImportError, noMastersError } from '../import-error';
import { markImported } from './reenrich.repository';
import { type ContributionsDetail, type ImportReport, detailOf, newDetail } from './contributions-report';
import {
  clearSeenRows,
  conduitSummary,
  rejectedByWorkers,
  summary,
  removeMissingRows,
  analyzeForRemoval,
} from './import-rows.store';
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

/** The large zips hold all rows twice: once whole, and once more by date, in a folder. */
const ITCONT: MemberOf = { member: 'itcont.txt', ignored: /^by_date\// };

/**
 * Reads a file of contributions and has workers enrich and store the rows of committees of the offices to import.
 *
 * A crash loses nothing and doubles nothing: the next import of the same file goes on at the last checkpoint, where the
 * text is still the same up to there. A file that is damaged, or that workers give up on, fails: rows that were stored
 * stay, none are removed, and the same or another file is imported from its beginning. Rows have their identity from
 * the file, so whatever is read twice is stored once.
 * @throws ImportBusyError, ImportError, StaleFenceError; what the signal says, where it stops the import
 */
export const importContributions = (context: ImportContext, request: ContributionsFile): Promise<ImportReport> =>
  underLease(context, (lease) => new ContributionsImport(context, lease, request).run());

class ContributionsImport {
  private readonly imports: ImportRepository;
  private readonly store: ContributionStore;
  private readonly signal: AbortSignal;

  constructor(
    private readonly context: ImportContext,
    private readonly lease: ImportLease,
    private readonly request: ContributionsFile,
  ) {
    this.imports = new ImportRepository(context.pool);
    this.store = new ContributionStore(new LocationRepository(context.pool, null));
    this.signal = context.signal ? AbortSignal.any([context.signal, lease.signal]) : lease.signal;
  }

  private get offices(): readonly FecOffice[] {
    return this.context.offices ?? DEFAULT_OFFICES;
  }

  async run(): Promise<ImportReport> {
    await guardSample(this.context.pool, this.request.label, this.request.cycle);
    const committees = await this.committees();
    const detail = newDetail(committees);
    const before = await this.importedBefore(detail);
    if (before) return before;
    const begun = await this.begin(detail, true);
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
    const detail = detailOf(newest);
    return detail.committees === committees && detail.report ? { ...detail.report, outcome: 'unchanged' } : null;
  }

  private begin(detail: ContributionsDetail, mayGoOn: boolean): Promise<StoredImport> {
    const { cycle, label, source, sha256 } = this.request;
    return this.imports.begin(
      this.lease.fence,
      { kind: 'contributions', cycle, label, source, sha256, detail: { ...detail } },
      (earlier) => mayGoOn && detailOf(earlier).committees === detail.committees,
      clearSeenRows,
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
      return await this.finish(stored.id);
    } catch (error) {
      if (error instanceof ImportError && error.code !== 'no_release') await this.fail(stored.id, error.code);
      throw error;
    }
  }

  private async fail(importId: string, code: string): Promise<void> {
    await this.imports
      .fail(this.lease.fence, importId, code)
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
      const ensureCycle = (cycle: number): Promise<void> =>
        inTransaction(this.context.pool, (client) => this.store.ensureCycle(client, cycle));
      const { signal } = this;
      await new ItcontReading({ stored, committees, writer, progress, signal, ensureCycle }).readToEnd(text);
    } finally {
      text.close();
    }
  }

  private writer({ id, cycle }: StoredImport, progress: ProgressReporter): ChunkWriter {
    const { pool, releases, chunkRows } = this.context;
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

  private async finish(importId: string): Promise<ImportReport> {
    const { cycle, removeMissing = false } = this.request;
    const { report } = await this.imports.finish(this.lease.fence, importId, async (client, stored) => {
      const cycles = Object.keys(detailOf(stored).rowsByCycle).map(Number);
      await analyzeForRemoval(client, cycles);
      const lost = await rejectedByWorkers(client, importId);
      const rowsStored = stored.kept - Object.values(lost).reduce((sum, rows) => sum + rows, 0);
      const { seen, missing, ...removal } = await removeMissingRows(client, stored, {
        rowsStored,
        removeMissing,
        offices: this.offices,
      });
      const amended = await this.store.removeAmendedRows(client);
      await this.store.removeReplacedRows(client);
      await clearSeenRows(client, importId);
      await markImported(client, cycles);
      const sums = await summary(client, cycle);
      const conduits = { kept: detailOf(stored).conduitRows, ...(await conduitSummary(client, cycle)) };
      const duplicates = seen === null ? 0 : Math.max(0, seen - (sums.stored - missing) - amended);
      return { report: { ...reportOf(stored, lost), conduits, duplicates, ...removal, amended, ...sums } };
    });
    return report;
  }
}

const reportOf = (stored: StoredImport, lost: Readonly<Record<string, number>>) =>
  ({
    importId: stored.id,
    outcome: 'imported',
    cycle: stored.cycle,
    linesRead: stored.linesRead,
    kept: stored.kept,
    otherCommittees: detailOf(stored).otherCommittees,
    rejected: { ...detailOf(stored).rejectedBy, ...lost },
  }) as const;
