/** A pool, a connection of it, or TypeORM's manager. */
interface Database {
  query(sql: string, values: unknown[]): Promise<unknown>;
}

/**
 * Adds an entry to the audit log: changes of keys, moves of the active data release, imports by command and actions of
 * operators.
 * @param database - the transaction of the change, so that both or none are stored
 * @param actor - name of an API key, `operator` for the command line, or the lease of the leader
 * @param detail - never a name, an address or a key
 */
export async function recordAudit(database: Database, actor: string, action: string, detail: object): Promise<void> {
  await database.query('insert into audit (actor, action, detail) values ($1, $2, $3)', [
    actor,
    action,
    JSON.stringify(detail),
  ]);
}
