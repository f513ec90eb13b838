import { type OperationsStatus } from '../status/operations-status';
import { type Samples, labelled, one, secondsSince } from './sampled-metric';

const CIRCUIT_STATES = ['closed', 'open', 'probing'] as const;

export function geocoderSamples({ at, geocoder, queues }: OperationsStatus): Samples {
  const oldest = queues.find(({ queue }) => queue === 'geocode')?.oldestWaitingAt ?? null;
  return {
    donorlens_geocoder_circuit: labelled('state', CIRCUIT_STATES, (state) => Number(geocoder.circuit === state)),
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
    donorlens_geocoder_oldest_pending_seconds: one(secondsSince(oldest, at)),
  };
}
