import { type Pool } from 'pg';
import { SampleRefusedError } from '../masters/sample-refused-error';
import { noMasters } from './no-masters';
import { type SourceLabel } from './stored-import';

/**
 * Rows of the sample and real ones never stand side by side: only real masters take the sample's place.
 * @param cycle  of the file, for the words of a refusal; null where it is not known
 * @throws ImportError `no_masters`, SampleRefusedError
 */
export async function guardSample(pool: Pool, label: SourceLabel, cycle: number | null): Promise<void> {
  const { rows } = await pool.query<{ sample: boolean; real: boolean }>(
    `select exists (select from fec_import where label = 'sample') as sample,
            exists (select from fec_import where label <> 'sample' and state in ('loading', 'done')) as real`,
  );
  const [{ sample, real }] = rows;
  if (label === 'sample' && real) throw new SampleRefusedError();
  if (label !== 'sample' && sample) throw noMasters('of candidates and committees only the sample is loaded', cycle);
}
