import { type Pool } from 'pg';
import { type Config } from '@donorlens/config';
import { type ServiceMetricName } from '@donorlens/observability';
import { type Sample } from './sampled-metric';

/** Samples of each metric that has any. */
export type Samples = ReadonlyMap<ServiceMetricName, readonly Sample[]>;

/** @throws where the database does not answer */
export async function readSamples(pool: Pool, _geocoder: Config['geocoder']): Promise<Samples> {
  await pool.query('select 1');
  return new Map([['donorlens_database_up', [{ labels: {}, value: 1 }]]]);
}
