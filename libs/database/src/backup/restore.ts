import { Client, type ClientBase } from 'pg';
import { serverUrlOf } from '@donorlens/config';
import { type Logger } from '@donorlens/observability';
import { DomainError } from '@donorlens/primitives';
import { copyIn } from '../copy';
import { migrate } from '../migrations/migrate';
import { readMigrations } from '../migrations/migration-files';
import { type BackupHeader, END_OF_COPY, HEADER_PREFIX, ROWS_PREFIX, type RowCounts } from './backup';

export class RestoreError extends DomainError {
  constructor(
    readonly code: 'not-a-backup' | 'truncated-backup' | 'newer-backup' | 'database-in-use' | 'different-rows',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Loads a backup into a database that has no API keys yet, in one transaction: all of it or nothing. Migrates first to
 * the schema of the backup, and afterwards to that of this code. No API key is valid until `keys confirm`.
 * @param backup - SQL as `writeBackup` writes it; statements in it are run, so it must be from a source that is trusted
 * @throws RestoreError, SchemaError
 */
export async function restoreBackup(
  databaseUrl: string,
  backup: AsyncIterable<Buffer>,
  logger: Logger,
): Promise<RowCounts> {
  const lines = new LineReader(backup);
  const header = headerIn(await lines.next());
  const known = readMigrations();
  if (header.schema > known.length)
    throw new RestoreError(
      'newer-backup',
      `the backup has schema ${header.schema}, this code has ${known.length}: use the newer release`,
    );
  const client = new Client({ connectionString: serverUrlOf(databaseUrl) });
  client.on('error', (err) => logger.warn({ err }, 'connection of the restore was lost'));
  await client.connect();
  try {
    await assertUnused(client);
    await migrate(databaseUrl, logger, { migrations: known.slice(0, header.schema) });
    const rows = await load(client, lines);
    await migrate(databaseUrl, logger);
    return rows;
  } finally {
    await client.end();
  }
}

function headerIn(line: string | null): BackupHeader {
  const text = line?.startsWith(HEADER_PREFIX) ? line.slice(HEADER_PREFIX.length) : 'null';
  const header = JSON.parse(text) as BackupHeader | null;
  if (header?.format !== 1) throw new RestoreError('not-a-backup', 'this is not a file of bin/donorlens backup');
  return header;
}

async function assertUnused(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ keys: string | null }>(`select to_regclass('api_key')::text as keys`);
  if (rows[0].keys === null) return;
  const { rowCount } = await client.query('select from api_key limit 1');
  if (rowCount !== 0)
    throw new RestoreError(
      'database-in-use',
      'the database is in use: it has API keys. Restore into an empty database',
    );
}

const COPY = /^copy "?(.+?)"? \(.*\) from stdin;$/;

/** Runs the statements of the backup; returns after its commit. @throws RestoreError before the commit */
async function load(client: ClientBase, lines: LineReader): Promise<RowCounts> {
  const loaded: Record<string, number> = {};
  let expected: RowCounts | null = null;
  try {
    for (let line = await lines.next(); line !== null; line = await lines.next()) {
      const table = COPY.exec(line)?.[1];
      if (table !== undefined) loaded[table] = await copyIn(client, line.slice(0, -1), lines.copyData());
      else if (line.startsWith(ROWS_PREFIX)) expected = JSON.parse(line.slice(ROWS_PREFIX.length)) as RowCounts;
      else if (line === 'commit;') {
        assertSameRows(loaded, expected);
        await client.query('commit');
        return loaded;
      } else await client.query(line);
    }
    throw truncated();
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

function assertSameRows(loaded: RowCounts, expected: RowCounts | null): void {
  const wrong = Object.keys({ ...loaded, ...expected }).filter((table) => loaded[table] !== expected?.[table]);
  if (wrong.length > 0)
    throw new RestoreError('different-rows', `the backup is damaged: other row counts in ${wrong.join(', ')}`);
}

const truncated = (): RestoreError =>
  new RestoreError('truncated-backup', 'the backup ends too early; nothing was restored');

const NEWLINE = 10;
const COPY_END = Buffer.from(`\n${END_OF_COPY}\n`);

/** Lines of SQL, and the data of a COPY between them. */
export class LineReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly pieces: AsyncIterator<Buffer>;

  constructor(input: AsyncIterable<Buffer>) {
    this.pieces = input[Symbol.asyncIterator]();
  }

  /** @returns the next line without its end, null after the last */
  async next(): Promise<string | null> {
    let end = this.rest.indexOf(NEWLINE);
    while (end < 0) {
      if (!(await this.read())) return null;
      end = this.rest.indexOf(NEWLINE);
    }
    const line = this.rest.toString('utf8', 0, end);
    this.rest = this.rest.subarray(end + 1);
    return line;
  }

  /**
   * Data up to the line `\.`, which is consumed. COPY text escapes backslashes, so that no row is that line.
   * @throws RestoreError
   */
  async *copyData(): AsyncGenerator<Buffer> {
    this.rest = Buffer.concat([COPY_END.subarray(0, 1), this.rest]); // so that the first line has a line end before it
    let isFirst = true;
    for (;;) {
      const end = this.rest.indexOf(COPY_END);
      // What could be the beginning of the end stays.
      const length = end < 0 ? Math.max(0, this.rest.length - COPY_END.length) : end + 1;
      const piece = this.rest.subarray(isFirst ? 1 : 0, length);
      if (length > 0) isFirst = false;
      if (piece.length > 0) yield piece;
      if (end >= 0) {
        this.rest = this.rest.subarray(end + COPY_END.length);
        return;
      }
      this.rest = this.rest.subarray(length);
      if (!(await this.read())) throw truncated();
    }
  }

  private async read(): Promise<boolean> {
    const { done, value } = (await this.pieces.next()) as IteratorResult<Buffer, undefined>;
    if (done) return false;
    this.rest = this.rest.length === 0 ? value : Buffer.concat([this.rest, value]);
    return true;
  }
}
