import { readConfig } from '@donorlens/config';
import { roleEnvironment, roleScript } from './roles';

const chosen = (redisUrl: string | null) => ({
  database: { url: 'postgres://127.0.0.1:5000/donorlens' },
  queue: { backend: redisUrl ? ('redis' as const) : ('postgres' as const), redisUrl, text: '' },
  home: '/srv/.donorlens',
  port: 4000,
  addressSecret: 'a secret for tests only',
});

describe('the environment of a role', () => {
  it("contains the choices of this start and the operator's other variables", () => {
    const given = { PORT: '0', LOG_LEVEL: 'debug', DATA_SOURCE: 'data' };
    const env = roleEnvironment(given, readConfig(given), chosen('redis://127.0.0.1:6000'));
    expect(env).toMatchObject({
      PORT: '4000',
      LOG_LEVEL: 'debug',
      DONORLENS_HOME: '/srv/.donorlens',
      ADDRESS_SECRET: 'a secret for tests only',
      DATABASE_URL: 'postgres://127.0.0.1:5000/donorlens',
      QUEUE_BACKEND: 'redis',
      REDIS_URL: 'redis://127.0.0.1:6000',
      DATA_SOURCE: `${process.cwd()}/data`,
    });
  });

  it('has no REDIS_URL if the queue is in the database', () => {
    const given = { REDIS_URL: 'redis://elsewhere:6379', QUEUE_BACKEND: 'postgres' };
    const env = roleEnvironment(given, readConfig(given), chosen(null));
    expect(env.REDIS_URL).toBeUndefined();
    expect(env.QUEUE_BACKEND).toBe('postgres');
  });

  it('requires keys confirm after a new timeline only for the embedded Postgres, unless the operator sets it', () => {
    const waits = (given: Record<string, string>) =>
      roleEnvironment(given, readConfig(given), chosen(null)).CONFIRM_NEW_TIMELINE;
    const DATABASE_URL = 'postgres://db.example/donorlens';
    expect([waits({}), waits({ CONFIRM_NEW_TIMELINE: 'false' })]).toEqual(['true', 'false']);
    expect([waits({ DATABASE_URL }), waits({ DATABASE_URL, CONFIRM_NEW_TIMELINE: 'true' })]).toEqual(['false', 'true']);
  });

  it('limits the memory that glibc keeps, unless the operator sets a limit', () => {
    const arenas = (given: Record<string, string>) =>
      roleEnvironment(given, readConfig(given), chosen(null)).MALLOC_ARENA_MAX;
    expect([arenas({}), arenas({ MALLOC_ARENA_MAX: '4' })]).toEqual(['2', '4']);
  });

  it('leaves a base URL unchanged', () => {
    const given = { DATA_SOURCE: 'https://mirror.example/data' };
    expect(roleEnvironment(given, readConfig(given), chosen(null)).DATA_SOURCE).toBe('https://mirror.example/data');
  });

  it('runs the compiled main.js of the role', () => {
    expect(roleScript('worker')).toMatch(/apps\/worker\/src\/main\.js$/);
  });
});
