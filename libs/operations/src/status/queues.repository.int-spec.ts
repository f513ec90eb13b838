import { type Pool } from 'pg';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { OperatorRequests } from '../requests/operator-requests.repository';
import { readQueues } from './queues.repository';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** Of a service that has been at work for long: most chunks are done. */
const CHUNKS = 20_000;

describe('reading the queues', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  it('reads only open chunks', async () => {
    await db.pool.query(manyChunks(CHUNKS));
    await db.pool.query('analyze chunk, batch');
    const nodes = nodesOf(await planOf(db.pool)).filter((node) => node['Relation Name'] === 'chunk');
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.map((node) => node['Node Type']).filter((type) => !/^(Index|Bitmap)/.test(type))).toEqual([]);
    const [enrich] = await readQueues(db.pool);
    expect(enrich).toMatchObject({ waiting: 20, queued: 10, inWork: 1, waitingForRetry: 0 });
  });

  it('reads when a queue was resumed last: now, until a leader has resumed it', async () => {
    const requests = new OperatorRequests(db.pool);
    const resumed = async () => (await readQueues(db.pool)).map(({ resumedAt }) => resumedAt);
    expect(await resumed()).toEqual([null, null]);
    await requests.submit('resume', { queue: 'enrich' }, 'night shift');
    const { rows } = await db.pool.query<{ now: Date }>('select now()');
    expect((await resumed())[0]?.getTime()).toBeGreaterThanOrEqual(rows[0].now.getTime());
    await db.pool.query(`update ops_request set state = 'done', finished_at = '2026-11-03T00:00:00Z'`);
    expect(await resumed()).toEqual([new Date('2026-11-03T00:00:00Z'), null]);
  });
});

/** Explains what is asked, instead of asking it. */
async function planOf(pool: Pool): Promise<Plan> {
  let plan: Plan | undefined;
  const explaining = {
    query: async (sql: string, values: unknown[]) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${sql}`, values);
      plan = rows[0]['QUERY PLAN'][0].Plan;
      return { rows: [] };
    },
  };
  await readQueues(explaining as unknown as Pool);
  if (!plan) throw new Error('nothing was asked');
  return plan;
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const manyChunks = (count: number): string => `
  with key as (insert into api_key (id, name, prefix, secret_hash, scopes)
               values (gen_random_uuid(), 'n', 'p', decode(repeat('00', 32), 'hex'), '{}') returning id),
       sent as (insert into batch (id, api_key_id, type, input_format, state, rows_total, chunks_total)
                select gen_random_uuid(), id, 'ethnicity', 'csv', 'running', ${count} * 10, ${count} from key returning id)
  insert into chunk (batch_id, seq, state, first_row, rows, lease_until, enqueued_at)
  select id, n, case when n = 0 then 'leased' when n <= 10 then 'pending' when n <= 20 then 'queued' else 'done' end,
         n * 10 + 1, 10, case when n = 0 then now() + interval '30 seconds' end, case when n between 11 and 20 then now() end
  from sent, generate_series(0, ${count} - 1) n`;
