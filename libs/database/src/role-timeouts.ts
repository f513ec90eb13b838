import { type Client } from 'pg';
import { TIMEOUTS } from './timeouts';

/** Names of settings that the role or the database has by now. */
const SET = `
  select current_database() as database,
         array(select split_part(setting, '=', 1)
               from pg_db_role_setting s, unnest(s.setconfig) as setting
               where s.setrole in (0, current_user::regrole) and s.setdatabase in (0, d.oid)) as known
  from pg_database d where d.datname = current_database()`;

/**
 * Behind a pooler of transactions no connection is told its timeouts as it opens, so our role has them of its own in this
 * database, which every role may do for itself. What somebody has set already stays.
 */
export async function keepRoleTimeouts(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string; known: readonly string[] }>(SET);
  const [{ database, known }] = rows;
  for (const [name, ms] of Object.entries(TIMEOUTS).filter(([timeout]) => !known.includes(timeout)))
    await client.query(`alter role current_user in database ${client.escapeIdentifier(database)} set ${name} = ${ms}`);
}
