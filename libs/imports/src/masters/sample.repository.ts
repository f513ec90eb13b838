import { type Pool, type PoolClient } from 'pg';
import { removeAllContributions } from '@donorlens/campaign-finance';

/** Rows that say nothing of which import they came from; a sample never stands beside anything else. */
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
  'cumulative_donors',
  'donor_breakdown',
  'chart_version', // and with it chart_pair, chart_cycle
];

/**
 * Removes every row of the sample, and the charts made of it, in the caller's transaction. Once masters of a real source
 * were loaded there is no sample to remove, whatever is tried with one: real rows are never removed here.
 * The imports go first, and with them their batches: a worker that is storing a chunk of theirs either ends before, or
 * finds its chunk gone. With them go imports of real contributions, which the sample's committees let nothing through.
 * @returns false where no sample was loaded
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
