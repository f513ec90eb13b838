import { type Pool, type PoolClient } from 'pg';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { KEY_BYTES } from './address-keys';

/**
 * Outcomes of those keys that have a location which has not expired, by `key.toString('latin1')`. The answer is a row
 * for each outcome with all its keys in one piece: a row for each key takes three times as long to read.
 */
export async function knownOutcomes(
  db: Pool | PoolClient,
  keys: readonly Buffer[],
): Promise<Map<string, GeocodeOutcome>> {
  const known = new Map<string, GeocodeOutcome>();
  if (keys.length === 0) return known;
  const { rows } = await db.query<{ outcome: number; keys: Buffer }>(
    `select outcome, string_agg(address_key, '') as keys from location
     where address_key = any($1::bytea[]) and (expires_at is null or expires_at > now()) group by outcome`,
    [keys],
  );
  for (const row of rows) {
    const found = row.keys.toString('latin1');
    for (let at = 0; at < found.length; at += KEY_BYTES)
      known.set(found.slice(at, at + KEY_BYTES), GEOCODE_OUTCOMES[row.outcome]);
  }
  return known;
}
