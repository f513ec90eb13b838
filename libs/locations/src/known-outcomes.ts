import { type Pool, type PoolClient } from 'pg';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';

/** Outcomes of those keys that have a location which has not expired, by `key.toString('latin1')`. */
export async function knownOutcomes(
  db: Pool | PoolClient,
  keys: readonly Buffer[],
): Promise<Map<string, GeocodeOutcome>> {
  if (keys.length === 0) return new Map();
  const { rows } = await db.query<{ address_key: Buffer; outcome: number }>(
    `select address_key, outcome from location
     where address_key = any($1::bytea[]) and (expires_at is null or expires_at > now())`,
    [keys],
  );
  return new Map(rows.map((row) => [row.address_key.toString('latin1'), GEOCODE_OUTCOMES[row.outcome]]));
}
