import { type Pool, type PoolClient } from 'pg';
import { removeAllContributions } from '@donorlens/campaign-finance';

/** Tables whose rows do not name their import. The sample is never stored beside other data. */
const TABLES = [
  'donor_touched',
  'cycle_enrichment',
  'candidate',
  'committee',
  'linkage',
  'chart_link',
  'donor_first',
  'donor_value',
  'donor_day',
  'donor_name',
  'age_estimate',
  'cumulative_donors',
  'donor_breakdown',
  'chart_version', // also deletes chart_pair and chart_cycle
];

/**
 * Removes all rows of the sample and its charts in the caller's transaction. Does nothing after masters of a real
 * source were loaded, so it never removes real rows. Imports and their batches are deleted first: a worker that stores
 * a chunk of theirs either commits before or finds its chunk deleted. Imports of real contributions are deleted, too:
 * with the committees of the sample, they kept no row.
 * @returns false if no sample was loaded
 */
export async function clearSample(client: PoolClient): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from fec_import where label = 'sample' and state in ('loading', 'done') and not exists
       (select from fec_import where label <> 'sample' and kind = 'masters' and state = 'done') limit 1`,
  );
  if (rowCount === 0) return false;
  await client.query(`delete from fec_import where label = 'sample' or kind <> 'masters'`);
  await removeAllContributions(client);
  for (const table of TABLES) await client.query(`delete from ${table}`);
  await client.query(`delete from pointer where name in ('charts', 'fec-masters', 'fec-sample')`);
  return true;
}

const POINTER = 'fec-sample';

/** True if the whole sample is imported. A start that was interrupted leaves a part, which the next start completes. */
export async function isSampleComplete(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from pointer where name = $1', [POINTER]);
  return rowCount === 1;
}

export async function markSampleComplete(pool: Pool): Promise<void> {
  await pool.query(`insert into pointer (name, version_id) values ($1, 'whole') on conflict (name) do nothing`, [
    POINTER,
  ]);
}
