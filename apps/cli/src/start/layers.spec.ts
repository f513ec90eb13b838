import { chooseLayers, needsRedisServer } from './layers';

const nothing = {
  databaseUrl: undefined,
  redisUrl: undefined,
  queueBackend: 'postgres' as const,
  queueBackendForced: false,
};
const redisUrl = 'redis://somewhere:6379';

describe('the choice of database and queue', () => {
  it('uses the database of DATABASE_URL, or else an embedded one', () => {
    expect(chooseLayers({ ...nothing, databaseUrl: 'postgres://h/d' }, null).database.kind).toBe('given');
    expect(chooseLayers(nothing, null).database.kind).toBe('embedded');
  });

  it('prefers REDIS_URL to a redis-server on the PATH, and that to Postgres', () => {
    expect(chooseLayers({ ...nothing, redisUrl, queueBackend: 'redis' }, '/bin/redis-server').queue.kind).toBe(
      'given-redis',
    );
    expect(chooseLayers(nothing, '/bin/redis-server').queue.kind).toBe('own-redis');
    expect(chooseLayers(nothing, null).queue.kind).toBe('postgres');
  });

  it('follows QUEUE_BACKEND regardless of other variables and programs', () => {
    const postgres = { ...nothing, redisUrl, queueBackendForced: true };
    expect(chooseLayers(postgres, '/bin/redis-server').queue.kind).toBe('postgres');
    const redis = { ...nothing, queueBackend: 'redis' as const, queueBackendForced: true };
    expect(chooseLayers(redis, '/bin/redis-server').queue.kind).toBe('own-redis');
    expect(() => chooseLayers(redis, null)).toThrow('no redis-server on the PATH');
  });

  it('stores no jobs in a database behind a transaction pooler', () => {
    const pooled = { ...nothing, databaseUrl: 'postgres://h/d?pgbouncer=true' };
    expect(() => chooseLayers(pooled, null)).toThrow('set REDIS_URL, or a DATABASE_URL');
    expect(chooseLayers(pooled, '/bin/redis-server').queue.kind).toBe('own-redis');
  });

  it('states the reason', () => {
    expect(chooseLayers(nothing, '/bin/redis-server').queue.reason).toContain('/bin/redis-server');
  });

  it('searches for a redis-server only if the result can change the choice', () => {
    expect(needsRedisServer(nothing)).toBe(true);
    expect(needsRedisServer({ ...nothing, redisUrl })).toBe(false);
    expect(needsRedisServer({ ...nothing, queueBackendForced: true })).toBe(false);
  });
});
