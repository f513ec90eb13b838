import { serverAddresses } from './server-address';

const redis = { redisUrl: undefined, queueBackend: 'redis' } as const;

describe('the address of a server', () => {
  it('is host, port and variable, without credentials', () => {
    const databaseUrl = 'postgres://donorlens:s3cret@db.example.org/donorlens?sslmode=require&password=s3cret';
    expect(serverAddresses({ databaseUrl, queueBackend: 'redis', redisUrl: 'rediss://:s3cret@[::1]:6380/2' })).toEqual({
      database: 'db.example.org:5432 (DATABASE_URL)',
      queue: '[::1]:6380 (REDIS_URL)',
    });
  });

  it('is a socket by its folder, and only the variable if it is not set', () => {
    expect(serverAddresses({ ...redis, databaseUrl: 'postgres:///d?host=/var/run/postgresql' })).toEqual({
      database: '/var/run/postgresql:5432 (DATABASE_URL)',
      queue: 'REDIS_URL',
    });
  });

  it('is all nodes of a Redis Cluster', () => {
    const redisUrl = 'redis+cluster://:s3cret@a.example.org:7000,10.0.0.7';
    const { queue } = serverAddresses({ databaseUrl: undefined, queueBackend: 'redis', redisUrl });
    expect(queue).toBe('a.example.org:7000,10.0.0.7:6379 (REDIS_URL)');
  });

  it('is the database if it holds the queue', () => {
    const places = serverAddresses({
      ...redis,
      databaseUrl: 'postgresql://127.0.0.1:28149/x',
      queueBackend: 'postgres',
    });
    expect(places.queue).toBe('127.0.0.1:28149 (DATABASE_URL)');
  });
});
