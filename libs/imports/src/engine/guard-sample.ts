import { type Pool } from 'pg';
import { ImportError } from '../import-error';
import { SampleRefusedError } from '../masters/sample-refused-error';
import { type SourceLabel } from './stored-import';

/**
 * Rows of the sample and real ones never stand side by side: only real masters take the sample's place.
 * @throws ImportError `no_masters`, SampleRefusedError
 */
export async function guardSample(pool: Pool, label: SourceLabel): Promise<void> {
  const { rows } = await pool.query<{ sample: boolean; real: boolean }>(
    `select exists (select from fec_import where label = 'sample') as sample,
            exists (select from fec_import where label <> 'sample' and state in ('loading', 'done')) as real`,
  );
  const [{ sample, real }] = rows;
  if (label === 'sample' && real) throw new SampleRefusedError();
  if (label !== 'sample' && sample)
    throw new ImportError('no_masters', 'only the sample is loaded: import the masters of a cycle first');
}
