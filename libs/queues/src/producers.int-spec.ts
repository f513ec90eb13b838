import 'reflect-metadata';
import { BullRegistrar, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable, type INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Job } from 'bullmq';
import { Redis } from 'ioredis';
import { type Config, ConfigModule, readConfig } from '@donorlens/config';
import { ObservabilityModule, createLogger } from '@donorlens/observability';
import { TcpProxy } from '../../../test/support/installation';
import {
  OwnRedis,
  OwnRedisCluster,
  type TestDatabase,
  hasTestRedis,
  testDatabase,
  testRedisUrl,
} from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { migrateQueue } from './connections';
import { CallProducer, ChunkProducer, type QueuedJob } from './producers';
import { QueueAwayError } from './queue-away-error';
import { EvictingRedisError, OtherRedisKindError, checkRedis } from './redis-check';
import { type CallRef, type ChunkRef, QUEUES, WORKER_OPTIONS, jobId } from './queues';
import { CallQueueModule, QueuesModule } from './queues.module';

const done: string[] = [];
/** What the jobs of batch `held` wait for. */
let released: Promise<void>;

@Injectable()
@Processor(QUEUES.enrich, { ...WORKER_OPTIONS, concurrency: 3 })
class Recorder extends WorkerHost {
  process({ data }: Job<ChunkRef>): Promise<void> {
    done.push(`${data.batchId}.${data.seq}`);
    return data.batchId === 'held' ? released : Promise.resolve();
  }

  @OnWorkerEvent('error')
  ignore(): void {
    // the server is away on purpose
  }
}

@Injectable()
@Processor(QUEUES.geocode, WORKER_OPTIONS)
class CallRecorder extends WorkerHost {
  process({ data, id }: Job<CallRef>): Promise<void> {
    done.push(`${id} ${data.callId}`);
    return Promise.resolve();
  }

  @OnWorkerEvent('error')
  ignore(): void {
    // as above
  }
}

async function start(config: Config, logger = createLogger('test', 'silent')): Promise<INestApplicationContext> {
  const imports = [ConfigModule.forRoot(config), ObservabilityModule.forRoot(logger), QueuesModule, CallQueueModule];
  const app = await Test.createTestingModule({ imports, providers: [Recorder, CallRecorder] }).compile();
  return app.init();
}

const refs = (count: number): ChunkRef[] => Array.from({ length: count }, (_, seq) => ({ batchId: 'b', seq }));

const waitingJob = (data: ChunkRef): QueuedJob => ({
  id: jobId('enrich-chunk', data),
  data,
  addedAt: expect.any(Date) as Date,
  takenAt: null,
});

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  if (hasTestRedis()) await new Redis(testRedisUrl()).pipeline().flushdb().quit().exec();
});
afterAll(() => database.close());
beforeEach(() => (done.length = 0));

describe.each(hasTestRedis() ? (['redis', 'postgres'] as const) : (['postgres'] as const))('on %s', (backend) => {
  let app: INestApplicationContext;
  let producer: ChunkProducer;

  beforeAll(async () => {
    const REDIS_URL = hasTestRedis() ? testRedisUrl() : undefined;
    const config = readConfig({ QUEUE_BACKEND: backend, DATABASE_URL: database.url, REDIS_URL });
    await migrateQueue(config);
    await migrateQueue(config); // a second time changes nothing
    app = await start(config);
    producer = app.get(ChunkProducer);
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
  });
  afterAll(() => app.close());

  it('stores each chunk once, however often it is added', async () => {
    await producer.enqueue(refs(700));
    await producer.enqueue(refs(700));
    await producer.enqueue(refs(700), { isAgain: true });
    expect(await producer.waiting()).toBe(700);
    expect(await producer.remainingCapacity()).toBe(300);
  });

  it('returns each job once, removes it, and accepts it again', async () => {
    app.get(BullRegistrar).register();
    await until('700 jobs', () => done.length >= 700);
    await until('an empty queue', async () => (await producer.countRunnableJobs()) === 0);
    expect(new Set(done).size).toBe(700);
    expect(done).toHaveLength(700);
    await producer.enqueue([{ batchId: 'b', seq: 5 }]);
    await until('one more', () => done.length === 701);
  });

  it('keeps calls in a queue of their own, each once', async () => {
    const calls = app.get(CallProducer);
    await until('the queue answers', async () => (await calls.remainingCapacity()) === 1000);
    await app.get(CallRecorder).worker.pause();
    await calls.enqueue([{ callId: '7' }, { callId: '8' }]);
    await calls.enqueue([{ callId: '7' }]);
    expect([
      await calls.countRunnableJobs(),
      await calls.remainingCapacity(),
      await producer.countRunnableJobs(),
    ]).toEqual([2, 998, 0]);
    void app.get(CallRecorder).worker.resume();
    await until('both calls', () => done.length === 2);
    expect(done.sort()).toEqual(['geocode-call.7 7', 'geocode-call.8 8']);
  });

  it('returns no job while it is paused, and counts waiting ones', async () => {
    await producer.setPaused(true);
    await producer.setPaused(true); // a second time changes nothing
    expect(await producer.isPaused()).toBe(true);
    await producer.enqueue(refs(3));
    expect([await producer.counts(), await producer.countRunnableJobs()]).toEqual([{ waiting: 3, active: 0 }, 0]);
    expect([await producer.waiting(), await producer.remainingCapacity()]).toEqual([3, 997]);
    const calls = app.get(CallProducer);
    await calls.enqueue([{ callId: '9' }]);
    await until('the call of the other queue', () => done.length === 1);
    expect(done).toEqual(['geocode-call.9 9']);
    expect(await producer.list(2)).toEqual({ isPaused: true, active: 0, waiting: 3, jobs: refs(2).map(waitingJob) });
    await producer.setPaused(false);
    await until('the three chunks', () => done.length === 4);
    expect(await producer.isPaused()).toBe(false);
  });

  it('adds a chunk again whose job stays active, as after a killed worker and a wrong clock', async () => {
    let release = (): void => undefined;
    released = new Promise((resolve) => (release = resolve));
    const held = [{ batchId: 'held', seq: 0 }];
    await producer.enqueue(held);
    await until('its job is active', () => done.length === 1);
    await producer.enqueue(held);
    expect(await producer.counts()).toEqual({ waiting: 0, active: 1 });
    const takenAt = expect.any(Date) as Date;
    const jobs = [{ ...waitingJob(held[0]), takenAt }];
    expect(await producer.list(2)).toEqual({ isPaused: false, active: 1, waiting: 0, jobs });
    await producer.enqueue(held, { isAgain: true });
    await until('another job', () => done.length === 2);
    expect(done).toEqual(['held.0', 'held.0']);
    release();
    await until('an empty queue', async () => (await producer.countRunnableJobs()) === 0);
  });

  it('accepts a hint asynchronously', async () => {
    producer.enqueueBestEffort([{ batchId: 'hinted', seq: 0 }]);
    await until('the hinted job', () => done.includes('hinted.0'));
  });
});

(hasTestRedis() ? describe : describe.skip)('a Redis that goes away', () => {
  // Skipped without redis-server on the PATH: there is nothing to take away.
  let redis: OwnRedis;
  let app: INestApplicationContext;
  let producer: ChunkProducer;

  beforeAll(async () => {
    redis = await OwnRedis.reserve();
    app = await start(readConfig({ REDIS_URL: redis.url }));
    producer = app.get(ChunkProducer);
  });
  afterAll(() => redis.end());

  it('may be unavailable at start: calls fail at once, hints do nothing', async () => {
    expect(await producer.remainingCapacity()).toBe(0);
    producer.enqueueBestEffort(refs(1));
    await expect(producer.enqueue(refs(1))).rejects.toThrow('not connected');
  });

  it('is used as soon as it is available', async () => {
    await redis.start();
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
    await producer.enqueue(refs(3));
    expect(await producer.waiting()).toBe(3);
  });

  it('ends each call while it is frozen', async () => {
    redis.freeze();
    await expect(producer.enqueue(refs(1))).rejects.toThrow(QueueAwayError);
    expect(await producer.remainingCapacity()).toBe(0);
    expect(await producer.list(1)).toBeNull();
    redis.thaw();
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 997);
  });

  it('is used again after a restart, also by consumers', async () => {
    app.get(BullRegistrar).register();
    await until('three jobs', () => done.length === 3);
    await redis.stop();
    await expect(producer.enqueue(refs(1))).rejects.toThrow();
    await redis.start();
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
    await producer.enqueue(refs(5));
    await until('five more jobs', () => done.length === 8);
  });

  it('does not delay the end of the process', async () => {
    await redis.stop();
    await app.close(); // one that waits for the server would not end within the test's time
  });
});

(hasTestRedis() ? describe : describe.skip)('a network that went dead silently', () => {
  // Skipped without redis-server on the PATH.
  it('survives lost connections: producers and consumers reconnect', async () => {
    const proxy = await TcpProxy.to(Number(new URL(testRedisUrl()).port));
    const app = await start(readConfig({ REDIS_URL: proxy.through(testRedisUrl()) }));
    const producer = app.get(ChunkProducer);
    app.get(BullRegistrar).register();
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
    await producer.enqueue([{ batchId: 'before', seq: 0 }]);
    await until('the first job', () => done.includes('before.0'));
    proxy.set({ kind: 'normal', dropExisting: true });
    await until('the queue answers again', async () => (await producer.remainingCapacity()) > 0);
    await producer.enqueue([{ batchId: 'after', seq: 0 }]);
    await until('the next job', () => done.includes('after.0'));
    await app.close();
    await proxy.close();
  });
});

(hasTestRedis() ? describe : describe.skip)('a Redis that may drop keys', () => {
  // Skipped without redis-server on the PATH.
  it('is refused at start', async () => {
    const redis = await OwnRedis.reserve();
    await redis.start();
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    client.disconnect();
    await expect(start(readConfig({ REDIS_URL: redis.url }))).rejects.toThrow('noeviction');
    await redis.end();
  });
});

(hasTestRedis() ? describe : describe.skip)('a Redis without free memory', () => {
  // Skipped without redis-server on the PATH.
  const lines: string[] = [];
  let redis: OwnRedis;
  let client: Redis;
  let app: INestApplicationContext;
  let producer: ChunkProducer;

  beforeAll(async () => {
    redis = await OwnRedis.reserve();
    await redis.start();
    client = new Redis(redis.url);
    const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
    app = await start(readConfig({ REDIS_URL: redis.url }), logger);
    producer = app.get(ChunkProducer);
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
  });
  afterAll(async () => {
    client.disconnect();
    await app.close();
    await redis.end();
  });

  it('answers reads; refused jobs throw and are logged once', async () => {
    await client.config('SET', 'maxmemory', '1');
    for (let time = 0; time < 2; time++) await expect(producer.enqueue(refs(1))).rejects.toThrow(/^queue add: .*OOM/);
    expect(await producer.waiting()).toBe(0);
    expect(lines.filter((line) => line.includes('OOM'))).toEqual([expect.stringContaining('"msg":"queue enrich: ')]);
    await client.config('SET', 'maxmemory', '0');
    await producer.enqueue(refs(1));
    expect(await producer.waiting()).toBe(1);
  });
});

(hasTestRedis() ? describe : describe.skip)('a Redis Cluster of three nodes', () => {
  // Skipped without redis-server on the PATH.
  let cluster: OwnRedisCluster;
  let owner: number;
  let app: INestApplicationContext;
  let producer: ChunkProducer;

  beforeAll(async () => {
    cluster = await OwnRedisCluster.start();
    owner = await cluster.ownerOf('{donorlens}');
    app = await start(
      readConfig({
        REDIS_URL: `redis+cluster://:${new URL(cluster.urlOf(0)).password}@127.0.0.1:${cluster.nodes[(owner + 1) % 3].port}`,
      }),
    );
    producer = app.get(ChunkProducer);
  });
  afterAll(() => cluster.end());

  it('adds and takes jobs if one node is configured and redirects to others', async () => {
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
    await producer.enqueue(refs(100));
    await producer.enqueue(refs(100));
    expect(await producer.waiting()).toBe(100);
    app.get(BullRegistrar).register();
    await until('an empty queue', async () => (await producer.countRunnableJobs()) === 0);
    expect([done.length, new Set(done).size]).toEqual([100, 100]);
  });

  it('ends each call while the node that holds the jobs is frozen, and continues with it', async () => {
    cluster.freeze(owner);
    await expect(producer.enqueue(refs(1))).rejects.toThrow(QueueAwayError);
    cluster.thaw(owner);
    await cluster.whole();
    await until('the queue answers', async () => (await producer.remainingCapacity()) > 0);
    done.length = 0;
    await producer.enqueue([{ batchId: 'thawed', seq: 0 }]);
    await until('the job', () => done.includes('thawed.0'));
  });

  it('is used again after the node that holds the jobs came back, also by consumers', async () => {
    await cluster.restart(owner);
    await cluster.whole();
    await until('the queue answers', async () => (await producer.remainingCapacity()) === 1000);
    await producer.enqueue(refs(5));
    await until('five jobs', () => done.length === 5);
  });

  it('is checked at every node for its eviction policy', async () => {
    expect(await checkRedis(cluster.url)).toBe(true);
    const policy = (value: string) =>
      cluster.ask((owner + 1) % 3, (redis) => redis.config('SET', 'maxmemory-policy', value));
    await policy('allkeys-lru');
    await expect(checkRedis(cluster.url)).rejects.toThrow(EvictingRedisError);
    await policy('noeviction');
  });

  it('is rejected if REDIS_URL names a cluster as a server, or a server as a cluster', async () => {
    await expect(checkRedis(cluster.urlOf((owner + 1) % 3))).rejects.toThrow('use redis+cluster://');
    expect(await checkRedis(cluster.urlOf(owner))).toBe(true); // all our keys are there
    const lone = testRedisUrl()
      .replace('redis://', 'redis+cluster://')
      .replace(/\/\d*$/, '');
    await expect(checkRedis(lone)).rejects.toThrow(OtherRedisKindError);
  });

  it('does not delay the end of the process while it is away', async () => {
    await cluster.end();
    await app.close(); // one that waits for the servers would not end within the test's time
  });
});
