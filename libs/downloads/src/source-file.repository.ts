import { type Pool } from 'pg';
import { type DownloadLog, type DownloadRecord } from './downloader';

interface Row {
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly sha256: Buffer;
  readonly bytes: string;
  readonly retrieved_at: Date;
}

/** Table source_file. */
export class SourceFileRepository implements DownloadLog {
  constructor(private readonly pool: Pool) {}

  async find(url: string): Promise<DownloadRecord | null> {
    const { rows } = await this.pool.query<Row>(
      `select etag, last_modified, sha256, bytes, retrieved_at from source_file
       where url = $1 and sha256 is not null and retrieved_at is not null`,
      [url],
    );
    if (rows.length === 0) return null;
    const [{ etag, last_modified: lastModified, sha256, bytes, retrieved_at: at }] = rows;
    return {
      url,
      etag,
      lastModified,
      sha256: sha256.toString('hex'),
      bytes: Number(bytes),
      retrievedAt: at.toISOString(),
    };
  }

  async save({ url, etag, lastModified, sha256, bytes, retrievedAt }: DownloadRecord): Promise<string | null> {
    const { rows } = await this.pool.query<{ unused: string | null }>(
      `with before as (select sha256 from source_file where url = $1 and sha256 <> $4),
       saved as (
         insert into source_file (url, etag, last_modified, sha256, bytes, retrieved_at) values ($1, $2, $3, $4, $5, $6)
         on conflict (url) do update set etag = excluded.etag, last_modified = excluded.last_modified,
           sha256 = excluded.sha256, bytes = excluded.bytes, retrieved_at = excluded.retrieved_at)
       select encode(before.sha256, 'hex') as unused from before
       where not exists (select from source_file other where other.sha256 = before.sha256 and other.url <> $1)`,
      [url, etag, lastModified, Buffer.from(sha256, 'hex'), bytes, retrievedAt],
    );
    return rows[0]?.unused ?? null;
  }
}
