import 'reflect-metadata';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until';
import { OwnRedis } from '../support/servers/own-redis';
import { SteppedClock } from '../support/pipeline/stepped-clock';
import { describeWith } from '../support/tools';
import { Rig } from './rig';
import { Workers } from './workers';

const HOUR = 3_600;
const ROWS = 5_000;

describeWith('faketime', 'redis-server')('a step of the Redis clock while a worker is killed', () => {
  let home: string;
  let redis: OwnRedis;
  let clock: SteppedClock;
  let rig: Rig;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-redis-clock-'));
    clock = new SteppedClock(home, 'redis');
    redis = await OwnRedis.reserve();
    await redis.start(clock);
    rig = await Rig.on('redis', { REDIS_URL: redis.url });
    rig.startTicking();
  });
  afterAll(async () => {
    await rig.stopTicking();
    await rig.close();
    await redis.end();
    rmSync(home, { recursive: true });
  });

  const count = async (id: string, state: string): Promise<number> => {
    const sql = 'select count(*)::int as n from chunk where batch_id = $1 and state = $2';
    return (await rig.db.pool.query<{ n: number }>(sql, [id, state])).rows[0].n;
  };

  it.each([
    ['back by an hour', -HOUR],
    ['forward by an hour', HOUR],
  ])('%s: loses no row, and other workers take over the chunks of the killed worker', async (_name, seconds) => {
    const workers = new Workers(rig.environment);
    try {
      const victim = workers.start();
      const accept = (): Promise<string> =>
        rig.accept(
          'first_name,last_name,date',
          Array.from({ length: ROWS }, () => 'MARY,SMITH,2020-01-01'),
        );
      const ids = [await accept()];
      await until('chunks are leased', async () => (await count(ids[0], 'leased')) > 0);
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      clock.step(seconds);
      ids.push(await accept());
      for (const id of ids) await rig.completed(id);
      clock.step(0);
      ids.push(await accept());
      await rig.completed(ids[2]);
      for (const id of ids) {
        const sql = 'select count(*)::int as n, count(distinct row_no)::int as d from result where batch_id = $1';
        expect((await rig.db.pool.query(sql, [id])).rows).toEqual([{ n: ROWS, d: ROWS }]);
      }
      expect(workers.deaths).toBe(1);
    } finally {
      clock.step(0);
      await workers.stop();
    }
  });
});
