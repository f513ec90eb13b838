import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, copyOut } from '@donorlens/database';
import { DomainError } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { SQL_PLACED_ROWS, SQL_ROWS } from './page-columns';

/** Consecutive rows that are stored and will not change any more. */
interface RowRange {
  readonly firstRow: number;
  readonly rows: number;
}

/** What pages need to know of a batch. */
type PagedBatch = Pick<Batch, 'id' | 'type' | 'chunksDone'>;

/** Full chunks read at a time: about a megabyte. A chunk with fewer rows may have long ones, and is read alone. */
const CHUNKS_A_PAGE = 4;

/** Pages read while one is written: looking addresses up takes the database longer than writing takes us. */
const PAGES_AHEAD = 2;

/** The results were erased while they were being read: the stream breaks off rather than end early. */
export class ResultsGoneError extends DomainError {
  readonly code = 'results_gone';
}

/**
 * Reads the stored rows of a batch in order, a page at a time by COPY. Rows of a chunk that is done never change, so
 * pages need no common snapshot: a slow reader holds no connection, and memory holds three pages. Only where their
 * addresses are may become known in between.
 */
@Injectable()
export class ResultPages {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * @param batch  so many chunks were done when the reader was told of it; fewer now means that it was erased
   * @param only   `bad`: rows that are invalid or failed
   * @throws ResultsGoneError
   */
  async *read(batch: PagedBatch, only: 'all' | 'bad' = 'all'): AsyncGenerator<Buffer, void> {
    const chunks = await this.doneChunks(batch.id);
    if (chunks.length < batch.chunksDone) throw erased({ chunksDone: batch.chunksDone });
    const coming: Promise<Buffer>[] = [];
    for (const range of grouped(chunks)) {
      const page = this.page(batch, range, only);
      page.catch(() => undefined); // thrown when it is awaited
      if (coming.push(page) > PAGES_AHEAD) yield await coming.shift()!;
    }
    for (const page of coming) yield await page;
  }

  private async doneChunks(batchId: string): Promise<RowRange[]> {
    const { rows } = await this.pool.query<{ first_row: number; rows: number }>(
      `select first_row, rows from chunk where batch_id = $1 and stage = 'enrich' and state = 'done' order by seq`,
      [batchId],
    );
    return rows.map(({ first_row: firstRow, rows: count }) => ({ firstRow, rows: count }));
  }

  private async page({ id, type }: PagedBatch, { firstRow, rows }: RowRange, only: 'all' | 'bad'): Promise<Buffer> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      const sql = `copy (${type === 'contributions' && only === 'all' ? SQL_PLACED_ROWS : SQL_ROWS}
        where r.batch_id = '${id}' and r.row_no between ${firstRow} and ${firstRow + rows - 1}
        ${only === 'bad' ? 'and r.outcome in (3, 4)' : ''} order by r.row_no) to stdout`;
      const pieces: Buffer[] = [];
      for await (const piece of copyOut(client, sql)) pieces.push(piece as Buffer);
      const page = Buffer.concat(pieces);
      if (only === 'all' ? linesIn(page) !== rows : !(await isThere(client, id, firstRow)))
        throw erased({ firstRow, rows });
      return page;
    } catch (err) {
      failure = err instanceof Error ? err : new Error(String(err));
      throw failure;
    } finally {
      client.release(failure);
    }
  }
}

const erased = (values: Readonly<Record<string, number>>): ResultsGoneError =>
  new ResultsGoneError('the results were erased while they were read', values);

/** A batch's chunks and results are erased in one transaction: a chunk that is there now had all its results before. */
async function isThere(client: PoolClient, batchId: string, firstRow: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from chunk where batch_id = $1 and stage = 'enrich' and first_row = $2`,
    [batchId, firstRow],
  );
  return rowCount === 1;
}

function grouped(chunks: readonly RowRange[]): RowRange[] {
  const full = Math.max(0, ...chunks.map(({ rows }) => rows));
  const pages: RowRange[] = [];
  for (const chunk of chunks) {
    const last = pages.at(-1);
    const joins =
      last !== undefined &&
      chunk.rows === full &&
      last.rows % full === 0 &&
      last.rows < CHUNKS_A_PAGE * full &&
      last.firstRow + last.rows === chunk.firstRow;
    if (joins) pages[pages.length - 1] = { firstRow: last.firstRow, rows: last.rows + chunk.rows };
    else pages.push(chunk);
  }
  return pages;
}

/** COPY escapes line breaks inside of values, so each LF is the end of a row. */
function linesIn(page: Buffer): number {
  let lines = 0;
  for (let at = page.indexOf(10); at >= 0; at = page.indexOf(10, at + 1)) lines++;
  return lines;
}
