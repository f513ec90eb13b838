import { type Pool } from 'pg';
import { BATCH_STATES, isFinal } from '@donorlens/batches';
import { QUEUES } from '@donorlens/queues';
import { WORK_KINDS } from '../beats/work-kinds';
import { type Samples, type Sample, labelled } from './sampled-metric';

interface Total {
  kind: string;
  label: string;
  value: number;
}

const OPEN_STATES = BATCH_STATES.filter((state) => !isFinal(state));

/** Totals that workers counted, and the batches they are at. */
export async function readWorkSamples(pool: Pool): Promise<Samples> {
  const { rows } = await pool.query<Total>('select kind, label, value::float8 from work_total');
  const open = await pool.query<{ state: string; n: number }>(
    'select state, count(*)::float8 as n from batch where state = any($1) group by state',
    [OPEN_STATES],
  );
  const items = (kind: string): Sample[] =>
    rows.filter((total) => total.kind === kind).map(({ label, value }) => ({ labels: { outcome: label }, value }));
  const jobs = Object.values(QUEUES).flatMap((queue) =>
    ['done', 'failed'].map((outcome) => ({
      labels: { queue, outcome },
      value: rows.find(({ kind, label }) => kind === WORK_KINDS[queue].jobs && label === outcome)?.value ?? 0,
    })),
  );
  return {
    donorlens_jobs_total: jobs,
    donorlens_rows_total: items(WORK_KINDS.enrich.items),
    donorlens_addresses_total: items(WORK_KINDS.geocode.items),
    donorlens_batches_open: labelled(
      'state',
      OPEN_STATES,
      (state) => open.rows.find((row) => row.state === state)?.n ?? 0,
    ),
  };
}
