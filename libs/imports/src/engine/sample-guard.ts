import { type Pool } from 'pg';
import { ImportError } from '../import-error';
import { SampleRefusedError } from '../masters/sample-refused-error';
import { type SourceLabel } from './stored-import';

/**
 * Keeps made-up and real data apart: real masters clear a sample, so they come first.
 * @throws ImportError `no_masters` for real data beside a sample, SampleRefusedError for a sample beside real data
 */
export async function keepApart(pool: Pool, label: SourceLabel): Promise<void> {
  const { rowCount } = await pool.query(
    `select from fec_import where (label = 'sample') <> ($1 = 'sample') and state in ('loading', 'done') limit 1`,
    [label],
  );
  if (rowCount === 0) return;
  if (label === 'sample') throw new SampleRefusedError();
  throw new ImportError('no_masters', 'only the sample is loaded: import the masters of a cycle first');
}
