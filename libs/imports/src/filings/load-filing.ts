import { ContributionStore } from '@donorlens/campaign-finance';
import { LocationRepository } from '@donorlens/locations';
import { cycleOf, receivedOn } from '@donorlens/tabular';
import { ChunkWriter } from '../engine/chunk-writer';
import { type ImportLease } from '../engine/import-lease';
import { type StoredImport } from '../engine/stored-import';
import { type ImportContext, ProgressReporter } from '../import-context';
import { type CheckedFiling } from './checked-filing';
import { type FilingFile } from './filing-files';
import { bulkDate } from './parser/filing-values';
import { type FiledItem, FilingError, type ItemPlace } from './parser/filing';
import { RecordMaker } from './parser/import-record';
import { readFiling } from './parser/read-filing';

export interface FilingLoad {
  readonly lease: ImportLease;
  readonly signal: AbortSignal;
  readonly begun: StoredImport;
  readonly file: FilingFile;
  readonly checked: CheckedFiling;
  readonly committees: ReadonlySet<string>;
}

/** Reads a checked filing again and passes its records to the workers. Resolves when they have stored all of them. */
export const loadFiling = (context: ImportContext, load: FilingLoad): Promise<void> =>
  new FilingLoading(context, load).run();

class FilingLoading {
  private readonly writer: ChunkWriter;
  private readonly progress: ProgressReporter;
  private readonly store: ContributionStore;
  /** Cycles of the rows after the last checkpoint. */
  private readonly cycles = new Set<number>();
  private maker: RecordMaker | undefined;
  private kept: number;
  private rejected: number;
  /** Offset of the end of the last item, and its line number. */
  private endsAt = 0;
  private line = 0;

  constructor(
    context: ImportContext,
    private readonly load: FilingLoad,
  ) {
    const { begun, checked, lease, signal } = load;
    this.kept = begun.kept;
    this.rejected = begun.rejected;
    this.progress = new ProgressReporter(context.onProgress, {
      phase: 'reading',
      bytesRead: begun.bytesRead,
      bytesTotal: checked.summary.bytes,
      linesRead: begun.linesRead,
      kept: begun.kept,
      rejected: begun.rejected,
      rowsDone: 0,
      isStalled: false,
    });
    this.store = new ContributionStore(new LocationRepository(context.pool, null));
    this.writer = new ChunkWriter({
      pool: context.pool,
      fence: lease.fence,
      importSpec: {
        importId: begun.id,
        fileCycle: checked.cycle,
        kind: 'filing',
        fileNum: checked.filing.fileNum,
        areAddressesMadeUp: begun.label === 'sample',
      },
      releases: context.releases,
      chunkRows: context.chunkRows,
      signal,
      onWait: (waiting) => this.progress.note(waiting),
    });
  }

  async run(): Promise<void> {
    const { file, checked, committees, signal } = this.load;
    const { bytes, lines } = await readFiling(file.pieces(), {
      cover: (cover) => (this.maker = new RecordMaker(cover, checked.fileNumber, committees)),
      item: (item, place) => this.take(item, place),
      pieceRead: async () => {
        signal.throwIfAborted();
        this.reportProgress(this.endsAt, this.line);
        if (this.writer.isDue) await this.checkpoint(this.endsAt, this.line);
      },
    });
    if (bytes !== checked.summary.bytes) throw new FilingError('filing_layout', 'it changed while it was imported');
    await this.checkpoint(bytes, lines);
    this.reportProgress(bytes, lines);
    this.progress.note({ phase: 'enriching' });
    await this.writer.drain();
    this.progress.note({ phase: 'finishing' });
  }

  private take(item: FiledItem | null, place: ItemPlace): void {
    if (place.endsAt <= this.load.begun.bytesRead) return; // before the last checkpoint
    this.endsAt = place.endsAt;
    this.line = place.line;
    const made = this.maker?.recordOf(item, place);
    if (!made) return;
    if ('rejected' in made) {
      this.rejected++;
      this.writer.reject(place.line, made.rejected, rejectedText(item));
      return;
    }
    const { cycle } = this.load.checked;
    this.kept++;
    this.cycles.add(cycleOf(receivedOn(bulkDate(item?.date ?? ''), cycle), cycle));
    this.writer.add(Buffer.from(made.record));
  }

  private async checkpoint(bytesRead: number, linesRead: number): Promise<void> {
    await this.writer.checkpoint({ bytesRead, prefixSha256: null, linesRead }, async (client) => {
      for (const cycle of this.cycles) await this.store.ensureCycle(client, cycle);
    });
    this.cycles.clear();
  }

  private reportProgress(bytesRead: number, linesRead: number): void {
    this.progress.note({ bytesRead, linesRead, kept: this.kept, rejected: this.rejected });
  }
}

/** Line, transaction id and amount of a rejected item, to find it in the file. */
const rejectedText = (item: FiledItem | null): string =>
  item === null ? 'a line that ends before its amount' : [item.line, item.transactionId, item.amount].join(' ');
