import { type PoolClient } from 'pg';

/** At the begin and at the end of an import. What another one that was interrupted may still go on with stays. */
export async function forgetSeen(client: PoolClient, importId: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select id from fec_import where kind = 'contributions' and state = 'loading' and id <> $1
     and exists (select 1 from import_seen s where s.import_id = fec_import.id)`,
    [importId],
  );
  if (rows.length === 0) await client.query('truncate import_seen');
  else await client.query('delete from import_seen where import_id <> all ($1)', [rows.map(({ id }) => id)]);
}

/** Rows of `import_seen`, where workers note each row of the file that is being read, repeated ones too. */
export async function countSeen(client: PoolClient, importId: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>('select count(*) as n from import_seen where import_id = $1', [
    importId,
  ]);
  return Number(rows[0].n);
}

/** Rows that workers could not store, by code: they have no identity, so they are not among the seen. */
export async function rejectedByWorkers(client: PoolClient, importId: string): Promise<Record<string, number>> {
  const { rows } = await client.query<{ code: string; n: number }>(
    'select code, count(*)::int as n from fec_reject where import_id = $1 and line <= 0 group by code order by code',
    [importId],
  );
  return Object.fromEntries(rows.map(({ code, n }) => [code, n]));
}
