import 'reflect-metadata';
import { until } from '../support/until';
import { BACKENDS, CHUNK_ROWS, Rig } from './rig';
import { Workers } from './workers';

/** The reconciler runs in this process, the workers are separate processes. */
describe.each(BACKENDS)('batches with the queue on %s', (backend) => {
  let rig: Rig;
  let workers: Workers;

  beforeAll(async () => {
    rig = await Rig.on(backend);
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    workers = new Workers(rig.environment, () => rig.expireLeasesOfDeadWorkers());
    rig.startTicking();
  });
  afterEach(async () => {
    await rig.stopTicking();
    await workers.stop();
  });

  const accept = (rows: number, surnameOf: (row: number) => string = () => 'SMITH'): Promise<string> =>
    rig.accept(
      'first_name,last_name,date',
      Array.from({ length: rows }, (_, i) => `MARY,${surnameOf(i + 1)},2020-01-01`),
    );
  const batchOf = (id: string) => rig.pipeline.batches.get(rig.apiKeyId, id);

  async function rowsOf(id: string): Promise<{ rows: number; least: number; most: number }> {
    const { rows } = await rig.db.pool.query<{ rows: number; least: number; most: number }>(
      `select count(*)::int as rows, min(row_no) as least, max(row_no) as most from result where batch_id = $1`,
      [id],
    );
    return rows[0];
  }

  it('are enriched by two worker processes, every row once', async () => {
    workers.start();
    workers.start();
    const id = await accept(10_000);
    await rig.completed(id);
    expect(await rowsOf(id)).toEqual({ rows: 10_000, least: 1, most: 10_000 });
    expect(workers.deaths).toBe(0);
    await until('an empty queue', async () => (await rig.queue.countRunnableJobs()) === 0);
  });

  // The other tests run with one queue only; test/e2e/chaos.e2e-spec.ts has similar faults with Redis.
  if (backend !== 'postgres') return;

  it('complete after the queue lost every job', async () => {
    const id = await accept(2_000);
    await until('all jobs', async () => (await rig.queue.waiting()) === 40);
    await rig.forgetJobs();
    expect(await rig.queue.waiting()).toBe(0);
    workers.start();
    await rig.completed(id); // lost jobs are added again after 15 s
    expect(await rowsOf(id)).toEqual({ rows: 2_000, least: 1, most: 2_000 });
  });

  it('complete although two rows of one chunk end the process: three crashes for the chunk, and two for each row', async () => {
    const id = await accept(200, (row) => (row === 60 || row === 90 ? 'EXITSPROCESS' : 'SMITH'));
    workers.start();
    await rig.completed(id);
    const { rows } = await rig.db.pool.query<{ row_no: number; error_code: string }>(
      `select row_no, error_code from result where batch_id = $1 and error_code is not null order by row_no`,
      [id],
    );
    expect(rows).toEqual([
      { row_no: 60, error_code: 'poison' },
      { row_no: 90, error_code: 'poison' },
    ]);
    expect(await rowsOf(id)).toEqual({ rows: 200, least: 1, most: 200 });
    expect(workers.deaths).toBe(7);
    expect(await batchOf(id)).toMatchObject({ counts: { failed: 2 } });
  });

  describe('that cannot be processed', () => {
    let meeting: Workers; // runs all these batches
    let [short, without, refused] = ['', '', ''];
    let begun: Date;

    beforeAll(async () => {
      short = await accept(175); // the last chunk has 25 rows
      await rig.db.pool.query(
        `update chunk set input = (select input from chunk where batch_id = $1 order by seq desc limit 1)
         where batch_id = $1 and rows = ${CHUNK_ROWS}`,
        [short],
      );
      without = await accept(100);
      await rig.db.pool.query(`update batch set data_release = 'gone' where id = $1`, [without]);
      refused = await accept(100);
      await rig.db.pool.query(`update chunk set runs = 8 where batch_id = $1 and seq = 1`, [refused]);
      await rig.db.pool.query(
        `alter table result add constraint refused check (batch_id <> '${refused}' or row_no <> 60)`,
      );
      begun = (await rig.db.pool.query<{ now: Date }>('select now()')).rows[0].now;
      meeting = new Workers(rig.environment);
      meeting.start();
    });
    afterAll(async () => {
      await meeting.stop();
      await rig.db.pool.query('alter table result drop constraint refused');
      expect(meeting.deaths).toBe(0);
    });

    const failed = async (id: string): Promise<string | null | undefined> => {
      await until('failed', async () => (await batchOf(id))?.state === 'failed');
      return (await batchOf(id))?.errorCode;
    };

    it('fail as a whole if a chunk does not contain the stated number of rows, and are not retried forever', async () => {
      await failed(short);
      const { rows } = await rig.db.pool.query(
        `select 1 from chunk where batch_id = $1 and state in ('pending', 'queued')`,
        [short],
      );
      expect(rows).toEqual([]);
    });

    it('fail as a whole if their data release does not exist', async () => {
      expect(await failed(without)).toBe('release_unknown');
    });

    it('fail as a whole if the database refuses a chunk ten times, and do not affect other batches', async () => {
      await rig.completed(await accept(100));
      await until('a counted run', async () => {
        const { rows } = await rig.db.pool.query<{ runs: number; waits: boolean }>(
          `select runs, state = 'pending' and not_before >= $2::timestamptz + interval '60 s' as waits
           from chunk where batch_id = $1 and seq = 1`,
          [refused, begun],
        );
        return rows[0].runs === 9 && rows[0].waits;
      });
      await rig.db.pool.query(`update chunk set not_before = null where batch_id = $1`, [refused]);
      expect(await failed(refused)).toBe('chunk_failed');
      const ids = { job: 'enrich-chunk', batchId: refused, chunk: 1 };
      expect(meeting.log.map((line) => JSON.parse(line) as unknown)).toContainEqual(
        expect.objectContaining({ ...ids, code: '23514' }),
      );
    });
  });
});
