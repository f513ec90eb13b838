import { randomUUID } from 'node:crypto';
import { KeyRepository, KeyRing, type Scope } from '@donorlens/access-keys';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import {
  guardedRoutes,
  callersWithKeys,
  callersWithSessions,
  SCOPES,
} from '../../../../test/security/authorization/guarded-routes';
import { checkEveryRoute } from '../../../../test/security/authorization/requests';
import { signIn } from '../../../../test/security/authorization/sessions';
import { requestForeignBatch, batchRoutes } from '../../../../test/security/authorization/tenants';
import { RouteTable } from '../http/route-policy';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { RateLimiter } from './rate-limiter';

/** Callers checked here; `npm test -- test/security/service` checks all callers. */
const CHEAP = ['no key', 'expired key', 'scope charts:read alone', 'session, no token', "session, another's token"];

describe('access control', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ BOOTSTRAP_KEY: 'a key of the tests' });
  });
  afterAll(() => api.close());

  const path = '/enrich/v1/ethnicity/surname/Smith/year/2010';
  const get = (suffix = '', headers: Record<string, string> = {}) => fetch(api.url + path + suffix, { headers });

  it('accepts the key as apiKey, as Bearer and as X-API-Key', async () => {
    const { key } = api;
    expect((await get(`?apiKey=${key}`)).status).toBe(200);
    expect((await get('', { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await get('', { authorization: `bearer  ${key}` })).status).toBe(200);
    expect((await get('', { 'x-api-key': key })).status).toBe(200);
  });

  it('answers 503 with the command to run for every key after the database was restored from a backup', async () => {
    const pool = api.app.get<Pool>(PG_POOL);
    const ring = api.app.get(KeyRing);
    await pool.query('update installation set key_table = 0');
    await ring.reload();
    const answer = await get('', { 'x-api-key': api.key });
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({ detail: expect.stringContaining('bin/donorlens keys confirm') as string }),
    ]);
    await api.app.get(KeyRepository).confirm();
    await ring.reload();
    expect((await get('', { 'x-api-key': api.key })).status).toBe(200);
  });

  it('answers 401 with the same bytes for a missing, unknown, revoked, expired or misplaced key', async () => {
    const revoked = await api.issue();
    const keys = api.app.get(KeyRepository);
    await keys.revoke(revoked.split('_')[1]);
    await until('the key is out', async () => (await get('', { 'x-api-key': revoked })).status === 401);
    const expired = await api.issue({ expiresAt: new Date(Date.now() - 1000) });
    const answers = await Promise.all([
      get(),
      get('?apiKey='),
      get('?apiKey=nonsense'),
      get(`?token=${api.key}`),
      get('', { authorization: `Basic ${api.key}` }),
      get('', { 'x-api-key': revoked }),
      get('', { 'x-api-key': expired }),
      get('', { 'x-api-key': `${api.key.slice(0, -1)}_` }),
      get('', { 'x-api-key': 'x'.repeat(5000) }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(answers.map(({ headers }) => headers.get('www-authenticate'))).toEqual(
      answers.map(() => 'Bearer realm="donorlens"'),
    );
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  });

  it('answers 400 if a request contains two keys, even equal ones', async () => {
    const { key } = api;
    for (const answer of [
      await get(`?apiKey=${key}&apiKey=${key}`),
      await get(`?apiKey=${key}&token=${key}`),
      await get(`?apiKey=${key}`, { 'x-api-key': key }),
      await get('', { authorization: `Bearer ${key}`, 'x-api-key': key }),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'ambiguous-key' });
    }
  });

  it('answers 403 with the name of the scope that the key lacks', async () => {
    const charts = await api.issue({ scopes: ['charts:read'] });
    const answer = await get('', { 'x-api-key': charts });
    expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ scope: 'enrich:read' })]);
    const reader = await api.issue({ scopes: ['enrich:read'] });
    expect((await get('', { 'x-api-key': reader })).status).toBe(200);
    const queries = [{ surname: 'Smith', year: 2010 }];
    const batch = await api.post('/enrich/v1/ethnicity', { queries }, { 'x-api-key': reader, prefer: 'respond-async' });
    expect([batch.status, await batch.json()]).toEqual([403, expect.objectContaining({ scope: 'enrich:batch' })]);
  });

  it('rejects a request before it reads the body', async () => {
    const answer = await fetch(`${api.url}/enrich/v1/batches`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: Buffer.alloc(8 * 1024 * 1024, 'x'),
    });
    expect(answer.status).toBe(401);
  });

  it('counts requests per key, reports the remaining ones, and answers 429 with Retry-After', async () => {
    const key = await api.issue({ requestsPerMinute: 3 });
    api.app.get(RateLimiter).storeTimeoutMs = 10_000; // a busy machine may be slow
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await get('', { 'x-api-key': key }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0].headers.get('ratelimit-policy')).toBe('"requests";q=3;w=60');
    expect(answers.map(({ headers }) => headers.get('ratelimit')?.slice(0, 14))).toEqual([
      '"requests";r=2',
      '"requests";r=1',
      '"requests";r=0',
      '"requests";r=0',
    ]);
    expect(Number(answers[3].headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await get('', { 'x-api-key': api.key })).headers.get('ratelimit')).toBeNull();
  });

  it('has a policy for every route', () => {
    const { routes } = api.app.get(RouteTable);
    expect(routes.length).toBeGreaterThan(15);
    expect(routes.filter(({ policy }) => policy === undefined)).toEqual([]);
    const open = routes.filter(({ method, policy }) => policy?.access === 'public' && method !== 'HEAD');
    expect(open.map(({ template }) => template).sort()).toEqual([
      '/',
      '/assets/:file',
      '/docs',
      '/docs/:file',
      '/embed/age_distribution/committee', // 404 unless CHART_EMBEDS=public
      '/embed/cumulative_donors/candidate',
      '/enrich/v1/age_gender/ask',
      '/enrich/v1/ethnicity/ask',
      '/guide',
      '/guide/:name',
      '/guide/images/:file',
      '/health/live',
      '/health/ready',
      '/openapi.json',
      '/session',
      '/session/end',
      '/sign-in',
    ]);
  });

  it('allows each key only the routes of its scopes, and rejects others with the same body', async () => {
    const { routes } = api.app.get(RouteTable);
    const guarded = guardedRoutes(routes);
    const keys = {
      full: api.key,
      ofScope: Object.fromEntries(
        await Promise.all(SCOPES.map(async (scope) => [scope, await api.issue({ scopes: [scope] })] as const)),
      ) as Record<Scope, string>, // one key per scope
      invalid: { 'expired key': await api.issue({ expiresAt: new Date(Date.now() - 1000) }) },
    };
    const sessions = await Promise.all(
      [api.key, await api.issue(), keys.ofScope['charts:read']].map((key) => signIn(api.url, key)),
    );
    const callers = [...callersWithKeys(keys), ...callersWithSessions(sessions[0], sessions[1], sessions[2])];
    const refusals = new Set<string>();
    for (const caller of callers.filter(({ name }) => CHEAP.includes(name))) {
      const check = await checkEveryRoute(api.url, guarded, caller, randomUUID());
      expect(check.mismatches).toEqual([]);
      for (const one of check.refusals) refusals.add(one);
    }
    expect(refusals.size).toBe(1);
  });

  it("gives the same response for another key's batch as for an unknown batch, on every route", async () => {
    const query = { queries: [{ surname: 'Smith', year: 2010 }] };
    const sent = await api.post('/enrich/v1/ethnicity', query, { prefer: 'respond-async' });
    const { id } = (await sent.json()) as { id: string };
    const guarded = batchRoutes(guardedRoutes(api.app.get(RouteTable).routes));
    expect(guarded.length).toBeGreaterThan(7);
    const otherKey = { headers: { 'x-api-key': await api.issue({ requestsPerMinute: null }) } };
    expect((await requestForeignBatch(api.url, guarded, id, { otherKey })).mismatches).toEqual([]);
    expect((await api.send(`/enrich/v1/batches/${id}`)).status).toBe(200);
  });
});
