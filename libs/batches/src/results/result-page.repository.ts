import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, copyOut } from '@donorlens/database';
import { DomainError } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { NAME_COLUMNS, PAGE_STATUSES, PLACE_COLUMNS, STORED_COLUMNS, messageOf } from './result-rows';

/**
 * Location of the row's address, if it is known when the page is read. A row without a location has the county of the
 * client's FIPS code.
 */
const PLACE: Readonly<Record<(typeof PLACE_COLUMNS)[number], string>> = {
  fips: 'coalesce(l.fips, r.fips)',
  tract: 'l.tract',
  block: 'l.block',
  address_id: `encode(l.address_id, 'hex')`,
  status: `coalesce(l.outcome, case when r.address_key is null then ${PAGE_STATUSES.indexOf('SKIPPED')}
                                    else ${PAGE_STATUSES.indexOf('PENDING')} end)`,
};

/** With the limit, the planner cannot choose a join that reads all locations for the few of a page. */
const LOCATIONS = `
  left join lateral (select * from location where location.address_key = r.address_key limit 1) l on true`;

/** Places and names are read only if results contain them or need them for ages. */
export const sqlRows = (hasPlaces: boolean, hasNames: boolean): string => {
  const places = PLACE_COLUMNS.map((column) => (hasPlaces ? PLACE[column] : 'null'));
  const names = NAME_COLUMNS.map((column) => (hasNames ? `r.${column}` : 'null'));
  const columns = [...STORED_COLUMNS.map((column) => `r.${column}`), ...places, ...names];
  return `select ${columns.join(', ')} from result r${hasPlaces ? LOCATIONS : ''}`;
};

/** Consecutive rows that are stored and do not change any more. */
interface RowRange {
  readonly firstRow: number;
  readonly rows: number;
}

type PageKind = 'all' | 'bad' | 'source';

type PagedBatch = Pick<Batch, 'id' | 'type' | 'ageBasis' | 'chunksDone'>;

/** Full chunks per page: about a megabyte. A chunk with fewer rows may have long ones, so it is a page by itself. */
const CHUNKS_A_PAGE = 4;

/** Pages read while one is written, since the join with locations takes longer than writing. */
const PAGES_AHEAD = 2;

/** The results were deleted while they were read: the stream fails instead of ending early. */
export class ResultsGoneError extends DomainError {
  readonly code = 'results_gone';
}

/**
 * Reads the stored rows of a batch in order, a page at a time by COPY. Rows of a chunk that is done never change, so
 * pages need no common snapshot: a slow reader holds no connection, and memory holds three pages. Only the locations of
 * pending addresses may be added in between.
 */
@Injectable()
export class ResultPages {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * @param batch - as it was read before; fewer chunks done now mean that it was deleted
   * @param only - `bad`: rows that are invalid or failed; `source`: the items as they were sent, without results
   * @throws ResultsGoneError
   */
  async *read(batch: PagedBatch, only: PageKind = 'all'): AsyncGenerator<Buffer, void> {
    const chunks = await this.doneChunks(batch.id);
    if (chunks.length < batch.chunksDone) throw erased({ chunksDone: batch.chunksDone });
    const coming: Promise<Buffer>[] = [];
    for (const range of groupIntoPages(chunks)) {
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

  private async page(batch: PagedBatch, { firstRow, rows }: RowRange, only: PageKind): Promise<Buffer> {
    const { id, type, ageBasis } = batch;
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      const hasNames = ageBasis === 'donors' || ageBasis === 'group';
      const select =
        only === 'source'
          ? `select coalesce(r.source, '') from result r`
          : sqlRows(type === 'contributions' && only === 'all', hasNames);
      const sql = `copy (${select}
        where r.batch_id = '${id}' and r.row_no between ${firstRow} and ${firstRow + rows - 1}
        ${only === 'bad' ? 'and r.outcome in (3, 4)' : ''} order by r.row_no) to stdout`;
      const pieces: Buffer[] = [];
      for await (const piece of copyOut(client, sql)) pieces.push(piece as Buffer);
      const page = Buffer.concat(pieces);
      if (only !== 'bad' ? linesIn(page) !== rows : !(await chunkExists(client, id, firstRow)))
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

/** A batch's chunks and results are deleted in one transaction: a chunk that exists now had all its results before. */
async function chunkExists(client: PoolClient, batchId: string, firstRow: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from chunk where batch_id = $1 and stage = 'enrich' and first_row = $2`,
    [batchId, firstRow],
  );
  return rowCount === 1;
}

function groupIntoPages(chunks: readonly RowRange[]): RowRange[] {
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

/** Bounds the search: errors beyond these rows are only in the file of errors. */
const SEARCHED_ROWS = 100_000;

/** A row without a result. */
export interface ErrorRow {
  /** Counts the caller's items from 1. */
  readonly row: number;
  readonly code: string;
  readonly message: string;
  /** The item as it was sent; CSV as comma records. */
  readonly source: string;
}

/** The first rows of a batch without a result, for its page. */
@Injectable()
export class FirstErrors {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  async find({ id, counts }: Batch, limit: number): Promise<readonly ErrorRow[]> {
    if (counts.invalid + counts.failed === 0) return [];
    const { rows } = await this.pool.query<{ row: number; code: string; source: string | null }>(
      `select row_no as row, coalesce(error_code, '') as code, source from result
       where batch_id = $1 and row_no <= $2 and outcome in (3, 4) order by row_no limit $3`,
      [id, SEARCHED_ROWS, limit],
    );
    return rows.map(({ row, code, source }) => ({ row, code, message: messageOf(code), source: source ?? '' }));
  }
}
