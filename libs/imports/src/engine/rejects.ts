import { type PoolClient } from 'pg';

/** What a file holds that cannot be read. */
export interface Reject {
  /** From 1. */
  readonly line: number;
  readonly code: string;
  /** The line as it stands there. */
  readonly record: string;
}

/** Postgres holds no NUL in a text: it is shown as its picture. */
const storable = (text: string): string => text.replaceAll('\0', '\u2400');

export async function insertRejects(client: PoolClient, importId: string, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  await client.query(
    `insert into fec_reject (import_id, line, code, record)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[])`,
    [
      importId,
      rejects.map(({ line }) => line),
      rejects.map(({ code }) => code),
      rejects.map(({ record }) => storable(record)),
    ],
  );
}
