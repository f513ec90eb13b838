import { Inject, Injectable } from '@nestjs/common';
import { type Hash, createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Semaphore } from 'async-mutex';
import { encodingOf } from '@donorlens/tabular';
import { BATCH_OPTIONS, type Batch, type BatchOptions } from '../batch';
import { CHUNK_HINT, type ChunkHint } from '../chunk';
import { type BuiltChunk, inflated } from '../chunk.store';
import { ChunkBuilder } from './chunk-builder';
import {
  FirstRecords,
  chunksOfBytes,
  chunksOfItems,
  chunksOfRecords,
  headOf,
  headThenRest,
  readFirst,
} from './chunk-stream';
import { changedMapping, isOpenFec, missingFields } from './column-mapping';
import { inputBytes, UploadLimiter, limitUpload } from './input-bytes';
import { type InputReader, readerOf } from './input-readers';
import { type FoundText, WorkbookMemory, inputText, noSheet } from './input-text';
import { IntakeError } from './intake-error';
import { type AcceptedBatch, type BatchPreview, type IntakeRequest, type RepeatedRows } from './intake-request';
import { type EarlierBatch, IntakeRepository, quotaExceeded } from './intake.repository';
import { ItemKeys } from './item-keys';
import { INTAKE_LIMITS } from './limits';

/** An input: bytes, or parsed queries. */
export type IntakeSource = Readable | readonly unknown[];

/** Chunks that are added to the queue at once; the reconciler adds the rest. */
const HINTED = 1000;

/** An input that is being read. */
interface OpenInput {
  readonly hash: Hash;
  readonly builder: ChunkBuilder;
  readonly reader: Pick<InputReader, 'mapping'> & { readonly columns: readonly string[] | null };
  readonly keys: ItemKeys;
  readonly chunks: AsyncGenerator<BuiltChunk, void>;
  /** Releases its upload slot. Called once it is stored, so that the next upload finds a connection too. */
  readonly release: () => void;
}

/**
 * Turns what a client sends into a batch.
 *
 * The input is read as a stream and never held as a whole: records become compressed chunks while the next are read,
 * and reading waits for the database. Up to about 100,000 rows are read before a transaction is opened; a larger input
 * is streamed into it. A batch is stored completely or not at all: an error in the last line, a client that disconnects
 * and a killed process leave nothing behind. After the commit the queue gets a hint; if it is lost, the
 * reconciler adds the jobs about a second later.
 */
@Injectable()
export class BatchIntake {
  /** Inputs stored while they are still arriving; each holds a database connection. */
  private readonly streams = new Semaphore(INTAKE_LIMITS.streams);
  private readonly uploads = new UploadLimiter(INTAKE_LIMITS.uploads);
  private readonly workbooks = new WorkbookMemory();

  constructor(
    private readonly repository: IntakeRepository,
    @Inject(BATCH_OPTIONS) private readonly options: BatchOptions,
    @Inject(CHUNK_HINT) private readonly queue: ChunkHint,
  ) {}

  /**
   * @param signal - aborts when the client disconnects
   * @throws IntakeError; then nothing of the input is stored
   */
  async accept(request: IntakeRequest, source: IntakeSource, signal?: AbortSignal): Promise<AcceptedBatch> {
    const { earlier, rowsLeft } = await this.begin(request);
    return this.store(request, this.open(request, source, rowsLeft, signal), earlier);
  }

  /**
   * Stores a batch of rows that another one has stored. They are read page by page while they are written.
   * @throws IntakeError, and what reading the rows throws; then nothing is stored
   */
  async repeat(request: IntakeRequest, { batch, records }: RepeatedRows): Promise<AcceptedBatch> {
    const { earlier, rowsLeft } = await this.begin(request);
    const mapping = changedMapping(batch, request.type, request.mapping ?? {});
    const hash = this.hashOf(request).update(batch.id); // its rows do not change
    const builder = new ChunkBuilder(this.options.chunkRows);
    const bound = (): void => assertRowLimits(builder.rows, request, rowsLeft);
    const chunks = chunksOfRecords(earlier ? noRecords() : records(), builder, bound);
    const reader = { columns: batch.columns, mapping };
    return this.store(
      request,
      { hash, builder, reader, keys: new ItemKeys(), chunks, release: () => undefined },
      earlier,
    );
  }

  private async begin(
    request: IntakeRequest,
  ): Promise<{ readonly earlier: EarlierBatch | null; readonly rowsLeft: number }> {
    if (this.repository.waiting() >= INTAKE_LIMITS.waiting)
      throw new IntakeError('busy', 'too many inputs wait to be stored; try again in some seconds');
    const earlier = await this.findEarlier(request);
    return { earlier, rowsLeft: earlier ? Infinity : await this.rowsLeft(request) };
  }

  private async store(request: IntakeRequest, input: OpenInput, earlier: EarlierBatch | null): Promise<AcceptedBatch> {
    try {
      if (earlier) return await replay(earlier, input);
      const { head, whole } = await headOf(input.chunks);
      if (!whole) input.keys.close(); // the columns are written before the rest is read
      const write = (): Promise<AcceptedBatch> => this.write(request, input, headThenRest(head, input.chunks));
      if (whole) return await write();
      if (this.streams.isLocked()) throw tooManyStreams();
      return await this.streams.runExclusive(write);
    } finally {
      await input.chunks.return(undefined);
      input.release();
    }
  }

  /** The batch that was accepted under an idempotency key. */
  async findByIdempotencyKey(apiKeyId: string, idempotencyKey: string): Promise<Batch | null> {
    return (await this.repository.findByIdempotencyKey(apiKeyId, idempotencyKey))?.batch ?? null;
  }

  /**
   * The first rows as a batch would read them. Nothing is stored. Of text only the first 256 kB are read, a workbook is
   * read whole.
   */
  async preview(request: IntakeRequest, source: IntakeSource, maxRows: number): Promise<BatchPreview> {
    const format = isJson(request.format) ? 'json' : 'csv';
    if (source instanceof Readable) return { format, ...(await this.previewBytes(request, source, maxRows)) };
    const input = this.open(request, source.slice(0, maxRows), Infinity, undefined, maxRows);
    try {
      const { value: chunk } = await input.chunks.next();
      if (!chunk) throw new IntakeError('empty_input', 'the input is empty');
      const records = { rows: chunk.rows, input: await inflated(chunk.input) };
      return { format, encoding: 'utf-8', ...detectionOf(input.reader, request), ...records };
    } finally {
      await input.chunks.return(undefined);
    }
  }

  private async previewBytes(
    request: IntakeRequest,
    source: Readable,
    maxRows: number,
  ): Promise<Omit<BatchPreview, 'format'>> {
    const keys = new ItemKeys();
    const records = new FirstRecords(maxRows, isJson(request.format) ? keys : undefined);
    const text: FoundText = {};
    const reader = readerOf(request, records, keys, text);
    const pieces: Buffer[] = [];
    const uploads = this.uploadBytes(inputBytes(source, createHash('sha256')), request, INTAKE_LIMITS.previewBytes);
    try {
      const bytes = inputText(uploads.bytes, request, text, this.workbooks);
      await readFirst(collected(bytes, pieces), reader, records);
    } finally {
      uploads.release();
    }
    const { isUtf16, ...sheets } = text;
    const encoding = isUtf16 ? ('utf-16' as const) : encodingOf(Buffer.concat(pieces));
    const { delimiter, ...rest } = detectionOf(reader, request);
    const shown = { delimiter: sheets.sheet === undefined ? delimiter : null, encoding, ...sheets };
    return { ...rest, ...shown, rows: records.rows, input: records.gathered };
  }

  /** Bytes of an upload that takes a slot after the first ones. */
  private uploadBytes(
    bytes: AsyncGenerator<Buffer, void>,
    { apiKeyId }: IntakeRequest,
    freeBytes: number,
    signal?: AbortSignal,
  ): { readonly bytes: AsyncGenerator<Buffer, void>; readonly release: () => void } {
    let release = (): void => undefined;
    const acquire = async (): Promise<void> => {
      release = await this.uploads.acquire(apiKeyId, signal);
    };
    return { bytes: limitUpload(bytes, freeBytes, acquire), release: () => release() };
  }

  private open(
    request: IntakeRequest,
    source: IntakeSource,
    rowsLeft: number,
    signal?: AbortSignal,
    chunkRows = this.options.chunkRows,
  ): OpenInput & { readonly reader: InputReader } {
    const { format, sheet } = request;
    const hash = this.hashOf(request);
    const keys = new ItemKeys();
    const builder = new ChunkBuilder(chunkRows, isJson(format) ? keys : undefined);
    const text: FoundText = {};
    const reader = readerOf(request, builder, keys, text);
    const bound = (): void => assertRowLimits(builder.rows, request, rowsLeft);
    const input = { hash, builder, reader, keys };
    if (source instanceof Readable) {
      const uploads = this.uploadBytes(inputBytes(source, hash, signal), request, INTAKE_LIMITS.freeBytes, signal);
      const bytes = inputText(uploads.bytes, request, text, this.workbooks);
      return { ...input, chunks: chunksOfBytes(bytes, reader, builder, bound), release: uploads.release };
    }
    if (sheet) throw noSheet();
    const chunks = chunksOfItems(source, builder, (item) => {
      hash.update(item);
      bound();
    });
    return { ...input, chunks, release: () => undefined };
  }

  /** Hash of all options, to which the input is added. */
  private hashOf(request: IntakeRequest): Hash {
    const { type, format, sheet, mapping, minAge, ageBasis, ethnicityBasis, webhookUrl } = request;
    const options = [webhookUrl, ageBasis, ethnicityBasis === 'place' && { ethnicityBasis }, sheet && { sheet }];
    const settings = [type, format, mapping ?? {}, minAge ?? null, ...options.filter(Boolean)];
    return createHash('sha256').update(JSON.stringify(settings));
  }

  private async write(
    request: IntakeRequest,
    input: OpenInput,
    chunks: AsyncIterable<BuiltChunk>,
  ): Promise<AcceptedBatch> {
    const { columns, mapping } = input.reader;
    const newBatch = { id: randomUUID(), request, columns, mapping, ttlHours: this.options.ttlHours };
    let count = 0;
    const batch = await this.repository.write(
      newBatch,
      counted(chunks, () => count++),
      () => ({
        rows: input.builder.rows,
        chunks: count,
        sha256: input.hash.digest(),
      }),
    );
    if (batch === null) {
      const earlier = await this.findEarlier(request);
      // Deleted at this moment: the client may retry.
      if (!earlier)
        throw new IntakeError('idempotency_in_flight', 'the batch under this Idempotency-Key is being deleted');
      return replay(earlier, input);
    }
    const hinted = Math.min(count, HINTED);
    this.queue.enqueueBestEffort(Array.from({ length: hinted }, (_, seq) => ({ batchId: batch.id, seq })));
    return { batch, replayed: false };
  }

  private async findEarlier({ apiKeyId, idempotencyKey }: IntakeRequest): Promise<EarlierBatch | null> {
    return idempotencyKey ? this.repository.findByIdempotencyKey(apiKeyId, idempotencyKey) : null;
  }

  /** Rows left in today's quota: read before the first byte, checked again in the transaction. */
  private async rowsLeft({ apiKeyId, batchRowsPerDay }: IntakeRequest): Promise<number> {
    if (batchRowsPerDay === undefined || batchRowsPerDay === null) return Infinity;
    return batchRowsPerDay - (await this.repository.rowsToday(apiKeyId));
  }
}

const isJson = (format: IntakeRequest['format']): boolean => format === 'ndjson' || format === 'json';

/** The same body under the same key is the same batch; another body is an error of the client. */
async function replay({ batch, sha256 }: EarlierBatch, input: OpenInput): Promise<AcceptedBatch> {
  while (!(await input.chunks.next()).done); // to its end, for its checksum
  if (sha256 && !input.hash.digest().equals(sha256))
    throw new IntakeError('idempotency_mismatch', 'this Idempotency-Key was used for another request');
  return { batch, replayed: true };
}

function assertRowLimits(rows: number, request: IntakeRequest, rowsLeft: number): void {
  if (rows > INTAKE_LIMITS.rows)
    throw new IntakeError('too_many_rows', `a batch has at most ${INTAKE_LIMITS.rows} rows; send it in parts`);
  const limit = request.batchRowsPerDay ?? Infinity;
  if (rows > limit && rowsLeft <= limit)
    throw new IntakeError(
      'quota_exceeded',
      `the input alone has more rows than the ${limit} this key may send in a day; send it in parts, over days`,
      { limit, alone: true },
    );
  if (rows > rowsLeft) throw quotaExceeded(limit, limit - rowsLeft);
}

async function* noRecords(): AsyncGenerator<Buffer, void> {}

const tooManyStreams = (): IntakeError =>
  new IntakeError('busy', 'too many large inputs arrive at once; try again in a minute', { retryAfterSeconds: 60 });

/** What a reader has detected. */
const detectionOf = (reader: InputReader, { type, format }: IntakeRequest) => {
  const { columns, mapping, delimiter, oddQuotes, dayFirstDate } = reader;
  const missing = isJson(format) ? [] : missingFields(mapping, type);
  const recognised = reader.isItcont ? 'itcont' : isOpenFec(columns) ? 'openfec' : null;
  return { columns, mapping, delimiter, oddQuotes, dayFirstDate, missing, recognised } as const;
};

async function* collected(pieces: AsyncIterable<Buffer>, all: Buffer[]): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) {
    all.push(piece);
    yield piece;
  }
}

async function* counted(chunks: AsyncIterable<BuiltChunk>, count: () => void): AsyncGenerator<BuiltChunk, void> {
  for await (const chunk of chunks) {
    count();
    yield chunk;
  }
}
