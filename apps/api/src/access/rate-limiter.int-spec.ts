import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { Pool } from 'pg';
import { OwnRedis } from '../../../../test/support/servers/own-redis';
import { testDatabase, type TestDatabase } from '../../../../test/support/servers/test-database';
import { hasTestRedis } from '../../../../test/support/servers/test-redis';
import { rateHeaders, rateLimited, RateLimiter, type RateState } from './rate-limiter';

const LIMIT = 60;
const logger = createLogger('api', 'silent');
const isAllowed = ({ isAllowed }: RateState): boolean => isAllowed;

describe('the rate limit of a key', () => {
  let db: TestDatabase;
  const limiters: RateLimiter[] = [];

  /** The rate limiter of one api process. */
  async function replica(environment: Record<string, string> = {}, pool: Pool = db.pool): Promise<RateLimiter> {
    const config = readConfig({ DATABASE_URL: db.url, QUEUE_BACKEND: 'postgres', ...environment });
    const limiter = new RateLimiter(config, pool, logger);
    limiters.push(limiter);
    limiter.storeTimeoutMs = 10_000; // a busy machine may be slow
    await limiter.onModuleInit();
    return limiter;
  }

  async function send(replicas: readonly RateLimiter[], keyId: string, requests: number): Promise<RateState[]> {
    const states: RateState[] = [];
    for (let n = 0; n < requests; n += 10)
      states.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, (_, i) => Promise.resolve(replicas[i % replicas.length].consume(keyId, LIMIT))),
        )),
      );
    return states;
  }

  beforeAll(async () => {
    db = await testDatabase();
    await migrateQueue({ queueBackend: 'postgres', databaseUrl: db.url });
  });
  afterAll(async () => {
    for (const limiter of limiters) limiter.beforeApplicationShutdown();
    await db.close();
  });

  it('applies across two processes with the queue in Postgres', async () => {
    const states = await send([await replica(), await replica()], 'postgres', 200);
    expect(states.filter(isAllowed)).toHaveLength(LIMIT);
    expect(states[0]).toEqual({ isAllowed: true, limit: LIMIT, remaining: 59, resetSeconds: 60 });
  });

  (hasTestRedis() ? it : it.skip)(
    'holds over two processes with the queue in Redis, and per process without it',
    async () => {
      const redis = await OwnRedis.reserve();
      await redis.start();
      const environment = { REDIS_URL: redis.url, QUEUE_BACKEND: 'redis' };
      const replicas = [await replica(environment), await replica(environment)];
      const states = await send(replicas, 'redis', 200);
      expect(states.filter(isAllowed)).toHaveLength(LIMIT);
      await redis.stop();
      const alone = await send(replicas, 'other', 200);
      expect(alone.filter(isAllowed)).toHaveLength(2 * LIMIT);
    },
  );

  it('rejects a key that has reached its limit without another request to the server', async () => {
    const limiter = await replica();
    await send([limiter], 'blocked', LIMIT);
    const state = limiter.consume('blocked', LIMIT);
    expect(state).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(await limiter.consume('blocked', LIMIT + 10)).toMatchObject({ isAllowed: true, remaining: 9 });
  });

  it('is counted per process while the server is unavailable', async () => {
    const away = new Pool({ connectionString: 'postgres://unknown@127.0.0.1:1/none' });
    const replicas = [await replica({}, away), await replica({}, away)];
    expect((await send(replicas, 'away', 200)).filter(isAllowed)).toHaveLength(2 * LIMIT);
    await away.end();
  });

  it('is counted per process while the server does not answer', async () => {
    const silent = { query: () => new Promise(() => undefined) } as unknown as Pool;
    const limiter = await replica({}, silent);
    limiter.storeTimeoutMs = 50;
    expect((await send([limiter], 'silent', 100)).filter(isAllowed)).toHaveLength(LIMIT);
  });

  it('is stated in headers', () => {
    const state = { isAllowed: false, limit: 60, remaining: 0, resetSeconds: 7 };
    const headers = { 'ratelimit-policy': '"requests";q=60;w=60', ratelimit: '"requests";r=0;t=7' };
    expect(rateHeaders(state)).toEqual(headers);
    expect(rateLimited(state).parts.headers).toEqual({ ...headers, 'retry-after': '7' });
  });
});
