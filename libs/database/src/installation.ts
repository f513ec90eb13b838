import { type Pool } from 'pg';

/**
 * `restored`: the data were loaded from a dump into this server. `new-timeline`: the server is the same, but has begun a
 * new timeline: after a point-in-time recovery, or the promotion of a standby. `confirmed`: neither, or an operator has
 * checked the keys since.
 */
export type InstallationState = 'confirmed' | 'restored' | 'new-timeline';

/** Until the first checkpoint of a promoted standby, only the second column has its timeline. Any user may read both. */
const TIMELINE = `(select greatest(timeline_id, min_recovery_end_timeline) from pg_control_checkpoint(), pg_control_recovery())`;

/** An expression of type text. */
export const SQL_INSTALLATION_STATE = `coalesce((
  select case when timeline = ${TIMELINE} then 'confirmed' else 'new-timeline' end
  from installation, pg_control_system()
  where server_id = system_identifier and key_table = 'api_key'::regclass), 'restored')`;

export const SQL_CONFIRM_INSTALLATION = `
  insert into installation (server_id, key_table, timeline)
  select system_identifier, 'api_key'::regclass, ${TIMELINE} from pg_control_system()
  on conflict (one) do update set server_id = excluded.server_id, key_table = excluded.key_table,
    timeline = excluded.timeline, confirmed_at = now()`;

export async function installationState(database: Pick<Pool, 'query'>): Promise<InstallationState> {
  const { rows } = await database.query<{ state: InstallationState }>(`select ${SQL_INSTALLATION_STATE} as state`);
  return rows[0].state;
}

const CHECK = 'Revoke again what was revoked since, then run "bin/donorlens keys confirm"';

/** Messages for the operator, without a period. */
export const INSTALLATION_MESSAGES: Readonly<Record<Exclude<InstallationState, 'confirmed'>, string>> = {
  restored: `The database was restored from a dump: no API key is valid. ${CHECK}`,
  'new-timeline': `Postgres has begun a new timeline, by a point-in-time recovery or a failover: keys that were revoked may be valid again. ${CHECK}`,
};
