import { ContributionStore, MastersRepository } from '@donorlens/campaign-finance';
import { holdLease, inTransaction } from '@donorlens/database';
import { DEFAULT_OFFICES } from '@donorlens/primitives';
import { LocationRepository } from '@donorlens/locations';
import { type ImportLease, underLease } from '../engine/import-lease';
import { ImportRepository, guardSample } from '../engine/import.repository';
import { type SourceLabel, type StoredImport, digestOf } from '../engine/stored-import';
import { type ImportContext } from '../import-context';
import { ImportError } from '../import-error';
import { type CheckedFiling, checkFiling, factsOf, type FilingScope } from './checked-filing';
import { type FilingFile, eachFiling } from './filing-files';
import { type FilingReport, notesOf } from './filing-report';
import { FilingRepository, type NewFiling, type StoredFiling } from './filing.repository';
import { finishFiling, guardReplacement } from './finish-filing';
import { loadFiling } from './load-filing';
import { FilingError } from './parser/filing';
import { formKind } from './parser/filing-cover';
import { RECORD_VERSION } from './parser/import-record';

export interface FilingsRequest {
  /** Filings, or zips of all filings of a day. */
  readonly files: readonly (string | FilingSource)[];
  readonly label: SourceLabel;
  /** FEC file number of a single filing whose file name does not have it. */
  readonly fileNumber?: string;
  /** Imports filings even if they were imported before. */
  readonly again?: boolean;
}

/** A file with a display name that differs from its path. */
export interface FilingSource {
  readonly path: string;
  readonly source: string;
}

/**
 * Imports electronic filings one after the other. Each is read to its end before a row of it is stored. One transaction
 * at its end makes its rows current and removes those of the filings that it amends. A filing that cannot be read does
 * not stop the import of the others.
 */
export function importFilings(context: ImportContext, request: FilingsRequest): Promise<FilingReport[]> {
  return underLease(context, async (lease) => {
    await guardSample(context.pool, request.label, null);
    const masters = new MastersRepository(context.pool);
    const offices = context.offices ?? DEFAULT_OFFICES;
    const run = new FilingsRun(context, lease, request, {
      offices,
      committees: await masters.committeesOf(offices),
      congressional: await masters.committeesOf(offices.filter((office) => office !== 'P')),
    });
    await run.clearAbandoned();
    for (const file of request.files) await run.importFile(file);
    return run.reports;
  });
}

class FilingsRun {
  readonly reports: FilingReport[] = [];
  readonly filings: FilingRepository;
  readonly store: ContributionStore;
  private readonly imports: ImportRepository;
  private readonly signal: AbortSignal;
  /** Digest of all committees in scope. */
  private readonly committees: string;

  constructor(
    private readonly context: ImportContext,
    private readonly lease: ImportLease,
    private readonly request: FilingsRequest,
    private readonly scope: FilingScope,
  ) {
    this.filings = new FilingRepository(context.pool);
    this.imports = new ImportRepository(context.pool);
    this.store = new ContributionStore(new LocationRepository(context.pool, null));
    this.committees = digestOf(scope.committees);
    this.signal = AbortSignal.any([lease.signal, ...(context.signal ? [context.signal] : [])]);
  }

  async importFile(named: string | FilingSource): Promise<void> {
    const { path, source } = typeof named === 'string' ? { path: named, source: named } : named;
    await this.reported(source, () =>
      eachFiling(path, source, (file) => this.reported(file.source, () => this.importOne(file))),
    );
  }

  /** Rows of filings whose import never came to its end. */
  async clearAbandoned(): Promise<void> {
    const left = await this.filings.abandoned();
    if (left.length === 0) return;
    await inTransaction(this.context.pool, async (client) => {
      await holdLease(client, this.lease.fence);
      for (const fileNum of left) {
        await this.store.removeFiling(client, fileNum);
        await this.filings.deleteFiling(client, fileNum);
      }
    });
  }

  /** An error of one filing is reported with it; an error of the service ends the run. */
  private async reported(file: string, work: () => Promise<FilingReport | void>): Promise<void> {
    try {
      const report = await work();
      if (report) this.reports.push(report);
    } catch (error) {
      if (!isReportedPerFiling(error)) throw error;
      const { code, message } = error;
      this.reports.push({ outcome: 'failed', file, error: { code, message }, notes: [] });
    }
  }

  private async importOne(named: FilingFile): Promise<FilingReport> {
    const file = { ...named, fileNum: named.fileNum ?? this.request.fileNumber ?? null };
    const checked = await checkFiling(file, this.scope, this.signal);
    if (typeof checked === 'string') return { outcome: 'passed_over', file: file.source, notes: [checked] };
    const known = await this.findStored(checked);
    if (known) return this.unchanged(file, checked, known);
    const { earlier, later } = await this.filings.chainOf(this.context.pool, checked.filing);
    const larger = later.length === 0 ? await this.findLargerReplaced(checked, earlier) : undefined;
    const begun = await this.begin(file, checked);
    if (later.length === 0) await this.load(begun, file, checked);
    return this.finish(begun, file, checked, larger);
  }

  /** A filing that it would replace and that has more rows. @throws FilingError if the new one is incomplete */
  private async findLargerReplaced(
    checked: CheckedFiling,
    earlier: readonly StoredFiling[],
  ): Promise<StoredFiling | undefined> {
    if (this.request.again) return undefined;
    const before = await this.filings.find(checked.filing.fileNum);
    const others = before === null || before.sha256 === checked.sha256 ? earlier : [...earlier, before];
    return guardReplacement(
      checked,
      others.filter(({ state }) => state === 'current'),
    );
  }

  /** The stored filing with the same bytes and records of the same version. */
  private async findStored({ filing, fileNumber, sha256 }: CheckedFiling): Promise<StoredFiling | undefined> {
    if (this.request.again) return undefined;
    const same = await this.filings.findBySha256(filing.committeeId, sha256, RECORD_VERSION);
    return same.find(
      ({ fileNum, committees }) =>
        (fileNum === filing.fileNum || fileNumber === '') && committees === this.committeesOf(filing),
    );
  }

  /** Digest of the committees that the rows depend on; null for forms F3 and F3P, whose rows are all of their filer. */
  private committeesOf({ form }: NewFiling): string | null {
    return formKind(form) === 'F3X' ? this.committees : null;
  }

  private async unchanged(file: FilingFile, checked: CheckedFiling, known: StoredFiling): Promise<FilingReport> {
    const facts = {
      ...factsOf(checked, await this.isLinked(checked)),
      fileNumber: known.fileNum,
      importId: known.importId,
    };
    const stored = await this.filings.storedRows(known.fileNum);
    const report = { outcome: 'unchanged', file: file.source, ...facts, stored } as const;
    return { ...report, notes: notesOf(report) };
  }

  private async begin(file: FilingFile, checked: CheckedFiling): Promise<StoredImport> {
    const { filing, cycle, sha256, summary } = checked;
    const stored = await this.filings.find(filing.fileNum);
    const committees = this.committeesOf(filing);
    return this.imports.begin(
      this.lease.fence,
      {
        kind: 'filing',
        cycle,
        label: this.request.label,
        source: file.source,
        sha256,
        bytesTotal: summary.bytes,
        // With other committees or rules than at its first attempt, the filing gives other rows.
        detail: { fileNum: filing.fileNum, committees, recordVersion: RECORD_VERSION },
      },
      ({ detail }) =>
        detail.fileNum === filing.fileNum &&
        detail.committees === committees &&
        detail.recordVersion === RECORD_VERSION,
      async (client, importId) => {
        // Other bytes with the same number: the earlier file was incomplete. Other committees: some rows are no longer
        // imported.
        if (stored !== null && (stored.sha256 !== sha256 || stored.committees !== committees)) {
          await this.store.removeFiling(client, filing.fileNum);
          await this.filings.deleteFiling(client, filing.fileNum);
        }
        const { original } = await this.filings.chainOf(client, filing);
        await this.filings.begin(client, importId, filing, original);
      },
    );
  }

  private isLinked({ filing, cycle }: CheckedFiling): Promise<boolean> {
    return new MastersRepository(this.context.pool).isLinked(filing.committeeId, cycle);
  }

  private async load(begun: StoredImport, file: FilingFile, checked: CheckedFiling): Promise<void> {
    const { context, lease, signal, scope } = this;
    try {
      await loadFiling(context, { lease, signal, begun, file, checked, committees: scope.committees });
    } catch (error) {
      if (isReportedPerFiling(error)) {
        await this.imports.fail(lease.fence, begun.id, error.code);
        await this.clearAbandoned();
      }
      throw error;
    }
  }

  private async finish(
    begun: StoredImport,
    file: FilingFile,
    checked: CheckedFiling,
    larger?: StoredFiling,
  ): Promise<FilingReport> {
    const facts = factsOf(checked, await this.isLinked(checked));
    const { report } = await this.imports.finish(this.lease.fence, begun.id, async (client, stored) => {
      const finished = await finishFiling(client, this, stored, checked, larger);
      const report = { file: file.source, ...facts, ...finished };
      return { report: { ...report, notes: notesOf(report) } };
    });
    return report;
  }
}

type FilingFault = FilingError | ImportError;
const isReportedPerFiling = (error: unknown): error is FilingFault =>
  error instanceof FilingError || (error instanceof ImportError && error.code !== 'no_release');
