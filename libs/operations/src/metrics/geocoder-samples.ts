import { type Pool } from 'pg';
import { type GeocoderStatus, readGeocoderStatus } from '@donorlens/locations';
import { type Samples, one } from './sampled-metric';

const CIRCUIT_STATES: readonly GeocoderStatus['circuit'][] = ['closed', 'open', 'probing'];

export async function readGeocoderSamples(pool: Pool, limits: { readonly callsPerMinute: number }): Promise<Samples> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select coalesce(extract(epoch from now() - min(asked_at)), 0)::float8 as seconds
     from geocode_address where error_code is null`,
  );
  return {
    ...samplesOf(await readGeocoderStatus(pool, limits)),
    donorlens_geocoder_oldest_pending_seconds: one(rows[0].seconds),
  };
}

function samplesOf(geocoder: GeocoderStatus): Samples {
  return {
    donorlens_geocoder_circuit: CIRCUIT_STATES.map((state) => ({
      labels: { state },
      value: Number(geocoder.circuit === state),
    })),
    donorlens_geocoder_refused: one(Number(geocoder.refusedReason !== null)),
    donorlens_geocoder_calls_total: [
      { labels: { outcome: 'answered' }, value: geocoder.calls },
      { labels: { outcome: 'failed' }, value: geocoder.callsFailed },
    ],
    donorlens_geocoder_tie_calls_total: one(geocoder.tieCalls),
    donorlens_geocoder_rows_sent_total: one(geocoder.rowsSent),
    donorlens_geocoder_rows_answered_total: one(geocoder.rowsAnswered),
    donorlens_geocoder_lookups_total: [
      { labels: { result: 'known' }, value: geocoder.hits },
      { labels: { result: 'new' }, value: geocoder.misses },
    ],
    donorlens_geocoder_calls_running: one(geocoder.running),
    donorlens_geocoder_calls_per_minute: one(geocoder.callsPerMinute),
    donorlens_geocoder_pending_addresses: one(geocoder.waiting),
    donorlens_geocoder_failed_addresses: one(geocoder.errors),
  };
}
