import { type Pool } from 'pg';
import { readDataSamples } from './data-samples';
import { readGeocoderSamples } from './geocoder-samples';
import { readQueueSamples } from './queue-samples';
import { type Samples } from './sampled-metric';
import { readWorkSamples } from './work-samples';

/**
 * One statement after the other, on one connection of the pool at most.
 * @param limits  of the geocoder, as configured
 * @throws where the database does not answer
 */
export async function readSamples(pool: Pool, limits: { readonly callsPerMinute: number }): Promise<Samples> {
  return {
    donorlens_database_up: [{ labels: {}, value: 1 }],
    ...(await readQueueSamples(pool)),
    ...(await readWorkSamples(pool)),
    ...(await readGeocoderSamples(pool, limits)),
    ...(await readDataSamples(pool)),
  };
}
