import { ContributionStore, cycleOf, receivedOn } from '@donorlens/campaign-finance';
import { RecordMaker, bulkDate, readFiling } from '@donorlens/filings';
import { ChunkWriter, type WorkersProgress } from '../engine/chunk-writer';
import { type ImportLease } from '../engine/import-lease';
import { type StoredImport } from '../engine/stored-import';
import { type ImportContext } from '../import-context';
import { type CheckedFiling } from './checked-filing';
import { type FilingFile } from './filing-files';

/** Reads a checked filing again and takes its records to the workers; over when they have stored all of them. */
export async function loadFiling(
  context: ImportContext,
  { lease, signal, begun, file, checked, presidential }: FilingLoad,
): Promise<void> {
  const progress = new LoadProgress(context, checked, begun);
  const writer = new ChunkWriter({
    pool: context.pool,
    fence: lease.fence,
    filed: { importId: begun.id, fileCycle: checked.cycle, kind: 'filing', fileNum: checked.filing.fileNum },
    releases: context.releases,
    chunkRows: context.chunkRows,
    signal,
    onWait: progress.onWait,
  });
  const store = new ContributionStore();
  const cycles = new Set<number>();
  const checkpoint = async (bytesRead: number): Promise<void> => {
    await writer.checkpoint({ bytesRead, prefixSha256: null, linesRead: progress.linesRead }, async (client) => {
      for (const cycle of cycles) await store.ensureCycle(client, cycle);
    });
    cycles.clear();
  };

  let maker: RecordMaker | undefined;
  let endsAt = 0;
  const summary = await readFiling(file.pieces(), {
    cover: (cover) => (maker = new RecordMaker(cover, checked.fileNumber, presidential)),
    item: (item, place) => {
      if (place.endsAt <= begun.bytesRead) return; // in chunks already
      endsAt = place.endsAt;
      progress.linesRead = place.line;
      const made = maker?.recordOf(item, place);
      if (!made) return;
      if ('rejected' in made) {
        progress.rejected++;
        writer.reject(
          place.line,
          made.rejected,
          `${item?.line ?? ''} ${item?.transactionId ?? ''} ${item?.amount ?? ''}`,
        );
        return;
      }
      progress.kept++;
      cycles.add(cycleOf(receivedOn(bulkDate(item?.date ?? ''), checked.cycle), checked.cycle));
      writer.add(Buffer.from(made.record));
    },
    pieceRead: async () => {
      signal.throwIfAborted();
      progress.tell('reading', endsAt);
      if (writer.isDue) await checkpoint(endsAt);
    },
  });
  progress.linesRead = summary.lines;
  await checkpoint(summary.bytes);
  progress.tell('enriching', summary.bytes);
  await writer.drain();
}

export interface FilingLoad {
  readonly lease: ImportLease;
  readonly signal: AbortSignal;
  readonly begun: StoredImport;
  readonly file: FilingFile;
  readonly checked: CheckedFiling;
  readonly presidential: ReadonlySet<string>;
}

/** Counts as they are told to whoever watches. */
class LoadProgress {
  kept: number;
  rejected: number;
  linesRead = 0;
  private bytesRead = 0;
  private phase: 'reading' | 'enriching' = 'reading';
  private workers: WorkersProgress = { rowsDone: 0, isStalled: false };

  constructor(
    private readonly context: ImportContext,
    private readonly checked: CheckedFiling,
    begun: StoredImport,
  ) {
    this.kept = begun.kept;
    this.rejected = begun.rejected;
  }

  readonly onWait = (workers: WorkersProgress): void => {
    this.workers = workers;
    this.tell(this.phase, this.bytesRead);
  };

  tell(phase: 'reading' | 'enriching', bytesRead: number): void {
    this.phase = phase;
    this.bytesRead = bytesRead;
    const { kept, rejected, linesRead, checked } = this;
    const bytesTotal = checked.summary.bytes;
    this.context.onProgress?.({ phase, bytesRead, bytesTotal, linesRead, kept, rejected, ...this.workers });
  }
}
