import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Demographics } from '@donorlens/demographics';
import { ADDED_KINDS, type CountyFinder, DomainError } from '@donorlens/primitives';
import {
  type CellKind,
  OutputBytes,
  type TableFileFormat,
  csvRecord,
  isTableFile,
  tableFile,
} from '@donorlens/tabular';
import { type Batch } from '../batch';
import { isFinal } from '../batch-state';
import { BatchAges } from './batch-ages.repository';
import { CsvResults } from './csv-results';
import { JsonResults } from './json-results';
import { type ResultAreas } from './result-areas';
import { ResultPages } from './result-page.repository';
import { COLUMN, type DetailFinder, ResultRows, type RowAges, messageOf, valuesOf } from './result-rows';

export type ResultsFormat = 'csv' | 'ndjson' | 'json' | TableFileFormat;

export interface ResultsOptions {
  readonly format: ResultsFormat;
  /** Turns the formula guard off: text exactly as sent. */
  readonly raw?: boolean;
  /** Returns the rows that are stored although the batch has not ended. */
  readonly partial?: boolean;
  /** Counties of the batch's data release. */
  readonly countyOf?: CountyFinder;
  /** Adds the columns of APPENDED_DETAIL. */
  readonly detailOf?: DetailFinder;
  /** Tables of the batch's data release; without them, ages of the bases `donors` and `group` are null. */
  readonly demographics?: Pick<Demographics, 'groupAges'>;
  /** What contributions get from tables of areas. */
  readonly areas?: ResultAreas;
}

const LF = 10;

const kindOf = (name: string): CellKind => ADDED_KINDS[name] ?? 'text';

type Pieces = AsyncGenerator<Buffer | string, void>;

function notReadyText(state: Batch['state']): string {
  if (state === 'expired') return 'the results were erased after their retention';
  if (state === 'cancelled' || state === 'failed')
    return `the batch was ${state}; only a completed batch can be repeated`;
  return 'the batch has not finished';
}

/** Results are requested before they are complete, or after they were deleted. */
export class ResultsNotReadyError extends DomainError {
  readonly code: 'not_finished' | 'expired';

  constructor(state: Batch['state']) {
    super(notReadyText(state), { state });
    this.code = state === 'expired' ? 'expired' : 'not_finished';
  }

  /** HTTP status. */
  get status(): 409 | 410 {
    return this.code === 'expired' ? 410 : 409;
  }
}

/** Results of a batch as streams in input order, with a few pages in memory. */
@Injectable()
export class BatchResults {
  constructor(
    private readonly pages: ResultPages,
    private readonly ages: BatchAges,
  ) {}

  /** Resolves when the first page has been read. @throws ResultsNotReadyError, ResultsGoneError */
  async stream(batch: Batch, options: ResultsOptions): Promise<Readable> {
    assertReadable(batch, options.partial ?? false);
    const { format, raw = false, countyOf = () => null, detailOf, areas } = options;
    const stepBytes = detailOf ? DETAIL_STEP_BYTES : areas?.placed ? PLACE_STEP_BYTES : Infinity;
    const ages = await this.ages.load(batch, options.demographics);
    const csv = (isRaw: boolean): Pieces =>
      this.csv(batch, new CsvResults(batch, isRaw, countyOf, detailOf, areas), ages, stepBytes);
    if (format === 'csv') return asBytes(csv(raw));
    const ownColumns = batch.columns?.length ?? 1;
    if (isTableFile(format))
      return asBytes(tableFile(format, csv(true), (name, at) => (at < ownColumns ? 'text' : kindOf(name))));
    const results = new JsonResults(batch, countyOf, detailOf, areas);
    return asBytes(this.json(batch, 'all', format, (rows) => results.text(rows), ages, stepBytes));
  }

  /** The items of a completed batch as chunks hold them. @throws ResultsNotReadyError, ResultsGoneError */
  async *items(batch: Batch): AsyncGenerator<Buffer, void> {
    if (batch.state !== 'completed') throw new ResultsNotReadyError(batch.state);
    for await (const page of this.pages.read(batch, 'source')) yield* valuesOf(page);
  }

  /**
   * Rows without a result: number, code, message and the client's item.
   * @throws ResultsNotReadyError, ResultsGoneError
   */
  async errorsStream(
    batch: Batch,
    { format, raw, partial }: Pick<ResultsOptions, 'format' | 'raw' | 'partial'>,
  ): Promise<Readable> {
    assertReadable(batch, partial ?? false);
    if (isTableFile(format)) return asBytes(tableFile(format, this.errorsCsv(batch, new ErrorRows(true)), kindOf));
    const errors = new ErrorRows(raw ?? false);
    if (format === 'csv') return asBytes(this.errorsCsv(batch, errors));
    return asBytes(this.json(batch, 'bad', format, (rows) => errors.text(rows)));
  }

  private csv(batch: Batch, results: CsvResults, ages: RowAges | null, stepBytes: number): Pieces {
    return withHead(
      results.header(),
      this.streamRows(batch, 'all', (page) => results.page(new ResultRows(page, ages)), stepBytes),
    );
  }

  private errorsCsv(batch: Batch, errors: ErrorRows): Pieces {
    return withHead(
      errors.header(),
      this.streamRows(batch, 'bad', (page) => writeRows(page, (rows, out) => out.text(errors.record(rows)))),
    );
  }

  private async *json(
    batch: Batch,
    only: 'all' | 'bad',
    format: 'ndjson' | 'json',
    textOf: (rows: ResultRows) => string,
    ages: RowAges | null = null,
    stepBytes = Infinity,
  ): Pieces {
    const [begin, between, after, end] = format === 'json' ? ['{"results":[', ',\n', '', ']}\n'] : ['', '', '\n', ''];
    let separator = '';
    const write = (rows: ResultRows, out: OutputBytes): void => {
      out.text(separator + textOf(rows) + after);
      separator = between;
    };
    yield* withHead(
      begin,
      this.streamRows(batch, only, (page) => writeRows(page, write, ages), stepBytes),
    );
    yield end;
  }

  /** @param stepBytes - bytes of a page that are written between two event-loop yields */
  private async *streamRows(
    batch: Batch,
    only: 'all' | 'bad',
    write: (page: Buffer) => Buffer,
    stepBytes = Infinity,
  ): Pieces {
    for await (const page of this.pages.read(batch, only))
      for (const step of stepsOf(page, stepBytes)) {
        if (step.length < page.length) await yieldToEventLoop();
        yield write(step);
      }
  }
}

/** A detail costs some 50 µs a row: a step of some 100 rows takes 5 ms. */
const DETAIL_STEP_BYTES = 16 * 1024;
/** An estimate by place costs at most some 3 µs a row: a step of some 2,000 rows takes 6 ms. */
const PLACE_STEP_BYTES = 256 * 1024;

/** The lines of a page in pieces of about so many bytes. */
function* stepsOf(page: Buffer, stepBytes: number): Generator<Buffer, void> {
  for (let from = 0; from < page.length;) {
    const end = page.indexOf(LF, from + stepBytes);
    const to = end < 0 ? page.length : end + 1;
    yield page.subarray(from, to);
    from = to;
  }
}

/** Sends the head after the first page was read, so that nothing is sent if the results were deleted. */
async function* withHead(head: string, pages: Pieces): Pieces {
  let next = await pages.next();
  yield head;
  for (; !next.done; next = await pages.next()) yield next.value; // without holding any of them
}

/** A page's rows, written one by one. */
function writeRows(
  page: Buffer,
  write: (rows: ResultRows, out: OutputBytes) => void,
  ages: RowAges | null = null,
): Buffer {
  const rows = new ResultRows(page, ages);
  const out = new OutputBytes(2 * page.length + 1024);
  while (rows.read()) write(rows, out);
  return out.written;
}

function assertReadable(batch: Batch, partial: boolean): void {
  if (batch.state === 'expired' || !(partial || isFinal(batch.state))) throw new ResultsNotReadyError(batch.state);
}

/** Resolves with the first piece, which may be an empty head. */
async function asBytes(pieces: Pieces): Promise<Readable> {
  const first = await pieces.next();
  const all = first.done ? [] : nonEmpty(first.value, pieces);
  return Readable.from(all, { objectMode: false, highWaterMark: 256 * 1024 });
}

/** Empty pieces are left out: they would end a stream that is not in object mode early. */
async function* nonEmpty(first: Buffer | string, rest: Pieces): Pieces {
  if (first.length > 0) yield first;
  for await (const piece of rest) if (piece.length > 0) yield piece;
}

const ERROR_COLUMNS = ['ROW', 'ERROR_CODE', 'ERROR_MESSAGE', 'SOURCE'];

/** Rows without a result. ROW counts the client's items from 1, without the header line; SOURCE is the whole item. */
export class ErrorRows {
  constructor(private readonly raw: boolean) {}

  header(): string {
    return `${ERROR_COLUMNS.join(',')}\n`;
  }

  /** CSV record of the row last read. */
  record(rows: ResultRows): string {
    const { row, error, message, source } = errorOf(rows);
    return `${csvRecord([row, error, message, source], this.raw)}\n`;
  }

  /** JSON text of the row last read. */
  text(rows: ResultRows): string {
    return JSON.stringify(errorOf(rows));
  }
}

const errorOf = (rows: ResultRows): { row: number; error: string; message: string; source: string | null } => {
  const error = rows.text(COLUMN.error_code) ?? '';
  return { row: rows.integer(COLUMN.row_no), error, message: messageOf(error), source: rows.text(COLUMN.source) };
};
