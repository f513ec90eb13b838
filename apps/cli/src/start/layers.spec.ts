import { chooseLayers, needsRedisServer } from './layers';

const nothing = {
  databaseUrl: undefined,
  redisUrl: undefined,
  queueBackend: 'postgres' as const,
  queueBackendForced: false,
};
const redisUrl = 'redis://somewhere:6379';

describe('the choice of database and queue', () => {
  it('takes the database of DATABASE_URL, else an embedded one', () => {
    expect(chooseLayers({ ...nothing, databaseUrl: 'postgres://h/d' }, null).database.kind).toBe('given');
    expect(chooseLayers(nothing, null).database.kind).toBe('embedded');
  });

  it('takes REDIS_URL before a redis-server on the PATH before Postgres', () => {
    expect(chooseLayers({ ...nothing, redisUrl, queueBackend: 'redis' }, '/bin/redis-server').queue.kind).toBe(
      'given-redis',
    );
    expect(chooseLayers(nothing, '/bin/redis-server').queue.kind).toBe('own-redis');
    expect(chooseLayers(nothing, null).queue.kind).toBe('postgres');
  });

  it('obeys QUEUE_BACKEND whatever else is there', () => {
    const postgres = { ...nothing, redisUrl, queueBackendForced: true };
    expect(chooseLayers(postgres, '/bin/redis-server').queue.kind).toBe('postgres');
    const redis = { ...nothing, queueBackend: 'redis' as const, queueBackendForced: true };
    expect(chooseLayers(redis, '/bin/redis-server').queue.kind).toBe('own-redis');
    expect(() => chooseLayers(redis, null)).toThrow('no redis-server on the PATH');
  });

  it('holds no jobs in a database that is reached by a pooler of transactions', () => {
    const pooled = { ...nothing, databaseUrl: 'postgres://h/d?pgbouncer=true' };
    expect(() => chooseLayers(pooled, null)).toThrow('set REDIS_URL, or a DATABASE_URL');
    expect(chooseLayers(pooled, '/bin/redis-server').queue.kind).toBe('own-redis');
  });

  it('says why', () => {
    expect(chooseLayers(nothing, '/bin/redis-server').queue.reason).toContain('/bin/redis-server');
  });

  it('looks for a redis-server only where that can matter', () => {
    expect(needsRedisServer(nothing)).toBe(true);
    expect(needsRedisServer({ ...nothing, redisUrl })).toBe(false);
    expect(needsRedisServer({ ...nothing, queueBackendForced: true })).toBe(false);
  });
});
