import { ConfigError, readConfig } from './config';
import { isPooled, serverUrlOf, redisCluster, shownNodes } from './server-urls';

const mistakeIn = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  return 'none';
};

describe('a Redis Cluster', () => {
  it('is configured by some of its nodes, with the default port unless stated', () => {
    expect(redisCluster('redis+cluster://10.0.0.1:7000,b.example.org,[::1]:7002/')).toEqual({
      nodes: [
        { host: '10.0.0.1', port: 7000 },
        { host: 'b.example.org', port: 6379 },
        { host: '::1', port: 7002 },
      ],
      username: undefined,
      password: undefined,
      tls: false,
    });
  });

  it('may be one URL, with TLS, a user and an encoded password', () => {
    expect(redisCluster('rediss+cluster://jobs:p%40ss@config.example.org:6380')).toEqual({
      ...{ nodes: [{ host: 'config.example.org', port: 6380 }], username: 'jobs', password: 'p@ss', tls: true },
    });
    expect(redisCluster('redis+cluster://:secret@a')).toMatchObject({ username: undefined, password: 'secret' });
  });

  it('is shown without credentials', () => {
    const cluster = redisCluster('redis+cluster://u:secret@a,[::1]:7001');
    expect(cluster && shownNodes(cluster)).toBe('a:6379,[::1]:7001');
  });

  it.each([
    'redis://a',
    'redis+cluster://',
    'redis+cluster://a,',
    'redis+cluster://a/2',
    'redis+cluster://a:0',
    'redis+cluster://:%@a',
  ])('is not %s', (url) => expect(redisCluster(url)).toBeNull());

  it('is accepted by REDIS_URL; several servers of redis:// are rejected with the correct form', () => {
    const REDIS_URL = 'redis+cluster://:s@a:7000,b:7000';
    expect(readConfig({ REDIS_URL })).toMatchObject({ redisUrl: REDIS_URL, queueBackend: 'redis' });
    for (const url of ['redis://a:1,b:2', 'redis://a,b', 'redis+cluster://a/2', 'http://a'])
      expect(mistakeIn({ REDIS_URL: url })).toMatch(/REDIS_URL must be .* redis\+cluster:\/\/a:6379,b:6379/);
  });
});

describe('a pooler of transactions', () => {
  it('is configured by pgbouncer=true in DATABASE_URL, which is not sent to Postgres', () => {
    const url = 'postgres://u:p@h:6432/d';
    expect([`${url}?pgbouncer=true`, `${url}?pgbouncer=false`, url].map(isPooled)).toEqual([true, false, false]);
    expect(serverUrlOf(`${url}?pgbouncer=true`)).toBe(url);
    expect(serverUrlOf(`${url}?sslmode=require&pgbouncer=true`)).toBe(`${url}?sslmode=require`);
    expect(serverUrlOf(`${url}?pgbouncer=true&sslmode=require`)).toBe(`${url}?sslmode=require`);
    expect(serverUrlOf(url)).toBe(url);
  });

  it('is not configured by a misspelled parameter', () => {
    expect(mistakeIn({ DATABASE_URL: 'postgres://h/d?pgbouncer=yes' })).toContain('true or false');
  });

  it('cannot hold the queue', () => {
    const DATABASE_URL = 'postgres://h/d?pgbouncer=true';
    expect(mistakeIn({ DATABASE_URL, QUEUE_BACKEND: 'postgres' })).toContain('set REDIS_URL, or a DATABASE_URL that');
    expect(mistakeIn({ DATABASE_URL, REDIS_URL: 'redis://h' })).toBe('none');
  });
});
