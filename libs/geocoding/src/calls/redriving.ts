import { type Pool } from 'pg';
import { inTransaction } from '@donorlens/database';

export interface Redriven {
  /** Calls that are due now. */
  readonly calls: number;
  /** The circuit was open: the next call is its probe, without the usual wait. */
  readonly isProbed: boolean;
  /** The geocoder asked to be left alone until then, and is; null: it did not. */
  readonly leftAloneUntil: Date | null;
}

/** An open circuit that no probe of the last 30 s is at: as if it had opened long ago, so that the next call may try it. */
const PROBE = `
  update geocoder set circuit = jsonb_set(circuit, '{ownState,openedAt}', '1'), probed_at = null
  where circuit #>> '{ownState,value}' = '1'
    and not exists (select from geocode_call where state = 'leased' and lease_until > clock_timestamp() and enqueued_at is null)`;

/**
 * Calls that wait for their next try are due now, those whose job may be lost get another one, and an open circuit lets
 * a call through at once. What the geocoder itself asked for, to be left alone for a while, is not an operator's to undo.
 */
export function redriveCalls(pool: Pool): Promise<Redriven> {
  return inTransaction(pool, async (client) => {
    const { rowCount: calls } = await client.query(
      `update geocode_call set state = 'pending', not_before = null, enqueued_at = null
       where id in (select id from geocode_call
                    where state = 'queued' or (state = 'pending' and not_before > clock_timestamp())
                    order by id for update skip locked)`,
    );
    const { rowCount: probed } = await client.query(PROBE);
    const { rows } = await client.query<{ until: Date | null }>(
      'select case when closed_until > clock_timestamp() then closed_until end as until from geocoder',
    );
    return { calls: calls ?? 0, isProbed: probed === 1, leftAloneUntil: rows[0].until };
  });
}
