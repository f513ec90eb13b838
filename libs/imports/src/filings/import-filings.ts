import { ContributionStore, MastersRepository } from '@donorlens/campaign-finance';
import { holdLease, inTransaction } from '@donorlens/database';
import { FilingError, FilingRepository } from '@donorlens/filings';
import { type ImportLease, underLease } from '../engine/import-lease';
import { ImportRepository } from '../engine/import.repository';
import { type SourceLabel, type StoredImport } from '../engine/stored-import';
import { type ImportContext } from '../import-context';
import { ImportError } from '../import-error';
import { type CheckedFiling, checkFiling } from './checked-filing';
import { type FilingFile, eachFiling } from './filing-files';
import { type FilingReport, type FilingsReport, filingsReport } from './filing-report';
import { finishFiling, storedRows } from './finish-filing';
import { loadFiling } from './load-filing';

/** A filing, or a zip of all filings of a day. */
export interface FilingSource {
  readonly path: string;
  /** How it is called: its address or name. */
  readonly source: string;
  readonly label: SourceLabel;
}

export interface FilingsRequest {
  readonly files: readonly FilingSource[];
  /** Of a single filing whose name does not tell it. */
  readonly fileNumber?: string;
  /** Also where this very filing was imported before. */
  readonly again?: boolean;
}

/**
 * Imports electronic filings one after the other. Each is read whole before anything of it is stored; its rows come into
 * force, and those of the filings that it amends go, in one transaction at its end. A filing that cannot be read does
 * not keep the others from being imported.
 */
export function importFilings(context: ImportContext, request: FilingsRequest): Promise<FilingsReport> {
  return underLease(context, async (lease) => {
    const presidential = await new MastersRepository(context.pool).presidentialCommittees();
    const run = new FilingsRun(context, lease, request, presidential);
    await run.clearAbandoned();
    for (const file of request.files) await run.importFile(file);
    return filingsReport(run.reports);
  });
}

class FilingsRun {
  readonly reports: FilingReport[] = [];
  readonly filings: FilingRepository;
  readonly store = new ContributionStore();
  private readonly imports: ImportRepository;
  private readonly signal: AbortSignal;

  constructor(
    private readonly context: ImportContext,
    private readonly lease: ImportLease,
    private readonly request: FilingsRequest,
    private readonly presidential: ReadonlySet<string>,
  ) {
    this.filings = new FilingRepository(context.pool);
    this.imports = new ImportRepository(context.pool);
    this.signal = AbortSignal.any([lease.signal, ...(context.signal ? [context.signal] : [])]);
  }

  async importFile({ path, source, label }: FilingSource): Promise<void> {
    await this.reported(source, () =>
      eachFiling(path, source, (file) => this.reported(file.source, () => this.importOne(file, label))),
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
        await this.filings.forget(client, fileNum);
      }
    });
  }

  /** What is wrong with one filing is told of it; what is wrong with the service ends the run. */
  private async reported(source: string, work: () => Promise<FilingReport | void>): Promise<void> {
    try {
      const report = await work();
      if (report) this.reports.push(report);
    } catch (error) {
      if (!(error instanceof FilingError || error instanceof ImportError) || error.code === 'no_release') throw error;
      this.reports.push({ source, outcome: 'failed', reason: error.message, errorCode: error.code });
    }
  }

  private async importOne(named: FilingFile, label: SourceLabel): Promise<FilingReport> {
    const file = { ...named, fileNum: this.request.fileNumber ?? named.fileNum };
    const checked = await checkFiling(file, this.presidential, this.signal);
    if (typeof checked === 'string') return { source: file.source, outcome: 'passed_over', reason: checked };
    const known = await this.knownAs(checked);
    if (known !== null)
      return { ...this.facts(file, checked), ...known, stored: await storedRows(this.context.pool, known.fileNum) };
    const begun = await this.begin(file, label, checked);
    const { later } = await this.filings.chainOf(this.context.pool, checked.filing);
    if (later.length === 0) await this.load(begun, file, checked);
    return this.finish(begun, file, checked);
  }

  /** The filing that these bytes are stored as already. */
  private async knownAs({
    filing,
    fileNumber,
    sha256,
  }: CheckedFiling): Promise<(Pick<FilingReport, 'importId' | 'outcome'> & { fileNum: string }) | null> {
    if (this.request.again) return null;
    const same = await this.filings.withBytes(this.context.pool, filing.committeeId, sha256);
    const known = same.find(({ fileNum }) => fileNum === filing.fileNum || fileNumber === '');
    return known ? { outcome: 'unchanged', fileNum: known.fileNum, importId: known.importId } : null;
  }

  private async begin(file: FilingFile, label: SourceLabel, checked: CheckedFiling): Promise<StoredImport> {
    const { filing, cycle, sha256, summary } = checked;
    const stored = await this.filings.find(filing.fileNum);
    return this.imports.begin(
      this.lease.fence,
      {
        kind: 'filing',
        cycle,
        label,
        source: file.source,
        sha256,
        bytesTotal: summary.bytes,
        detail: { fileNum: filing.fileNum },
      },
      (earlier) => earlier.detail.fileNum === filing.fileNum,
      async (client, importId) => {
        // Other bytes under the same number: the file was incomplete before.
        if (stored !== null && stored.sha256 !== sha256) {
          await this.store.removeFiling(client, filing.fileNum);
          await this.filings.forget(client, filing.fileNum);
        }
        const { original } = await this.filings.chainOf(client, filing);
        await this.filings.begin(client, importId, filing, original);
      },
    );
  }

  private async load(begun: StoredImport, file: FilingFile, checked: CheckedFiling): Promise<void> {
    const { context, lease, signal, presidential } = this;
    try {
      await loadFiling(context, { lease, signal, begun, file, checked, presidential });
    } catch (error) {
      if (error instanceof FilingError || (error instanceof ImportError && error.code !== 'no_release')) {
        await this.imports.fail(lease.fence, begun.id, error.code);
        await this.clearAbandoned();
      }
      throw error;
    }
  }

  private async finish(begun: StoredImport, file: FilingFile, checked: CheckedFiling): Promise<FilingReport> {
    let report: FilingReport | undefined;
    await this.imports.finish(this.lease.fence, begun.id, async (client) => {
      const finished = await finishFiling(client, this, begun.id, checked);
      report = { ...this.facts(file, checked), importId: begun.id, ...finished };
      return { report };
    });
    return report!;
  }

  private facts({ source }: FilingFile, { filing, summary, cycle }: CheckedFiling): Omit<FilingReport, 'outcome'> {
    const { cover, reconciliation } = summary;
    return {
      source,
      fileNum: filing.fileNum,
      form: cover.form,
      version: filing.version,
      filer: cover.filer,
      filerName: cover.filerName,
      reportCode: cover.reportCode,
      cycle,
      ...(cover.form.startsWith('F3P') && { isLinked: this.presidential.has(cover.filer) }),
      reconciliation,
    };
  }
}
