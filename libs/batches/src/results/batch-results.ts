import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { type CountyFinder, DomainError } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { isFinal } from '../batch-state';
import { CsvResults } from './csv-results';
import { ErrorRows } from './error-rows';
import { JsonResults } from './json-results';
import { OutputBytes } from './output-bytes';
import { ResultPages } from './result-pages';
import { ResultRows } from './result-rows';

export type ResultsFormat = 'csv' | 'ndjson' | 'json';

export interface ResultsOptions {
  readonly format: ResultsFormat;
  /** Leave the formula guard off: text exactly as sent. */
  readonly raw?: boolean;
  /** Give the rows that are there although the batch has not ended. */
  readonly partial?: boolean;
  /** Counties of the batch's data release. */
  readonly countyOf?: CountyFinder;
}

/** Results are asked for before they are complete, or after they were erased. */
export class ResultsNotReadyError extends DomainError {
  readonly code: 'not_finished' | 'expired';

  constructor(state: Batch['state']) {
    super(state === 'expired' ? 'the results were erased after their retention' : 'the batch has not finished', {
      state,
    });
    this.code = state === 'expired' ? 'expired' : 'not_finished';
  }

  /** The status HTTP gives it. */
  get status(): 409 | 410 {
    return this.code === 'expired' ? 410 : 409;
  }
}

/** Results of a batch as they leave: in input order, streamed, a few pages in memory whatever their number. */
@Injectable()
export class BatchResults {
  constructor(private readonly pages: ResultPages) {}

  /** @throws ResultsNotReadyError */
  stream(batch: Batch, options: ResultsOptions): Readable {
    refuse(batch, options.partial ?? false);
    const countyOf = options.countyOf ?? (() => null);
    if (options.format === 'csv') return asBytes(this.csv(batch, options.raw ?? false, countyOf));
    const results = new JsonResults(batch, countyOf);
    return asBytes(this.json(batch, 'all', options.format, (rows) => results.text(rows)));
  }

  /** Rows without an answer: number, code, message and the caller's item. @throws ResultsNotReadyError */
  errorsStream(batch: Batch, { format, raw, partial }: Pick<ResultsOptions, 'format' | 'raw' | 'partial'>): Readable {
    refuse(batch, partial ?? false);
    const errors = new ErrorRows(raw ?? false);
    if (format === 'csv') return asBytes(this.errorsCsv(batch, errors));
    return asBytes(this.json(batch, 'bad', format, (rows) => errors.text(rows)));
  }

  private async *csv(batch: Batch, raw: boolean, countyOf: CountyFinder): AsyncGenerator<Buffer | string, void> {
    const results = new CsvResults(batch, raw, countyOf);
    yield results.header();
    for await (const page of this.pages.read(batch)) yield results.page(new ResultRows(page));
  }

  private async *errorsCsv(batch: Batch, errors: ErrorRows): AsyncGenerator<Buffer | string, void> {
    yield errors.header();
    for await (const page of this.pages.read(batch, 'bad'))
      yield written(page, (rows, out) => out.text(errors.record(rows)));
  }

  private async *json(
    batch: Batch,
    only: 'all' | 'bad',
    format: 'ndjson' | 'json',
    textOf: (rows: ResultRows) => string,
  ): AsyncGenerator<Buffer | string, void> {
    const [begin, between, after, end] = format === 'json' ? ['{"results":[', ',\n', '', ']}\n'] : ['', '', '\n', ''];
    let separator = '';
    yield begin;
    for await (const page of this.pages.read(batch, only))
      yield written(page, (rows, out) => {
        out.text(separator + textOf(rows) + after);
        separator = between;
      });
    yield end;
  }
}

/** A page's rows, written one by one. */
function written(page: Buffer, write: (rows: ResultRows, out: OutputBytes) => void): Buffer {
  const rows = new ResultRows(page);
  const out = new OutputBytes(2 * page.length + 1024);
  while (rows.read()) write(rows, out);
  return out.written;
}

function refuse(batch: Batch, partial: boolean): void {
  if (batch.state === 'expired' || !(partial || isFinal(batch.state))) throw new ResultsNotReadyError(batch.state);
}

/** Empty pieces are left out: they would end a stream that is not in object mode early. */
const asBytes = (pieces: AsyncIterable<Buffer | string>): Readable =>
  Readable.from(nonEmpty(pieces), { objectMode: false, highWaterMark: 256 * 1024 });

async function* nonEmpty(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer | string, void> {
  for await (const piece of pieces) if (piece.length > 0) yield piece;
}
