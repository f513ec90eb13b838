import { KeyRing } from '@donorlens/access-keys';
import { Sessions } from './sessions';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describe('a session in a browser', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  afterAll(() => api.close());

  const enter = (key: string, next = '/', headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${api.url}/session`, {
      method: 'POST',
      body: new URLSearchParams({ key, next }),
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    });
  const cookieOf = (answer: Response): string => answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const get = (path: string, cookie: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(api.url + path, { headers: { cookie, ...headers }, redirect: 'manual' });
  const BATCHES = '/enrich/v1/batches';

  it('begins with a key, redirects to the next page, and has the scopes of the key', async () => {
    const answer = await enter(` ${api.key} `, '/enrich/v1/batches?limit=3&apiKey=old');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/enrich/v1/batches?limit=3']);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^donorlens-[\w-]{8}=.*; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('set-cookie')).not.toContain(api.key);
    expect((await get(BATCHES, cookieOf(answer))).status).toBe(200);
    expect((await get(BATCHES, '')).status).toBe(401);
  });

  it('is valid only over HTTPS if it was begun over HTTPS', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    const answer = await enter(api.key, '/', https);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-donorlens-.*; Path=\/; HttpOnly; Secure/);
    const cookie = cookieOf(answer);
    const plain = cookie.replace('__Host-', ''); // a man in the middle can set this name
    expect([(await get(BATCHES, cookie, https)).status, (await get(BATCHES, plain, https)).status]).toEqual([200, 401]);
  });

  it('has a different cookie name in each installation on a host, because cookies ignore the port', async () => {
    const visit = { secure: false, now: Date.now() };
    const ring = api.app.get(KeyRing);
    const identity = await ring.authenticate(api.key);
    if (identity === null) throw new Error('the key of the test opens nothing');
    const [one, same, other] = ['a', 'a', 'b'].map((secret) => new Sessions(secret.repeat(16), ring));
    const cookie = one.createCookie(identity, visit).split(';')[0];
    expect(same.read(`${other.createExpiredCookie(false).split(';')[0]}; ${cookie}`, visit)?.identity).toEqual(
      identity,
    );
    expect(other.read(cookie, visit)).toBeNull();
    expect(other.createExpiredCookie(false).split('=')[0]).not.toBe(cookie.split('=')[0]);
  });

  it('does not begin with a wrong key or from another site', async () => {
    const wrong = await enter('dl_wrong');
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await wrong.text()).toContain('role="alert"');
    const foreign = await enter(api.key, '/', { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([403, null]);
  });

  it('is invalid if the cookie was changed, and has only the scopes of its key', async () => {
    const cookie = cookieOf(await enter(await api.issue({ scopes: ['charts:read'] })));
    expect((await get('/data-charts/v1/about', cookie)).status).toBe(200);
    expect((await get(BATCHES, cookie)).status).toBe(403);
    for (const at of [21, 49, 69, cookie.length - 3]) {
      const changed = `${cookie.slice(0, at)}${cookie[at] === 'x' ? 'y' : 'x'}${cookie.slice(at + 1)}`;
      expect((await get('/data-charts/v1/about', changed)).status).toBe(401);
    }
  });

  it('changes nothing without the CSRF token of a form', async () => {
    const cookie = cookieOf(await enter(api.key));
    const answer = await fetch(api.url + BATCHES, {
      method: 'POST',
      body: 'first_name\nMary\n',
      headers: { cookie, 'content-type': 'text/csv' },
    });
    expect(answer.status).toBe(401);
  });

  it('accepts requests of the API reference only with the CSRF token of that page', async () => {
    const cookie = cookieOf(await enter(api.key));
    const page = await (await get('/docs', cookie)).text();
    const csrf = /data-csrf="([\w-]+)"/.exec(page)?.[1] ?? '';
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (
        await fetch(`${api.url}/enrich/v1/age_gender`, {
          method: 'POST',
          body: '{"queries":[{"name":"Mary","date":"2017-07-01"}]}',
          headers: { 'content-type': 'application/json', cookie, ...headers },
        })
      ).status;
    expect(await ask({ 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await ask({ 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await ask({ 'x-csrf-token': `${csrf}x` })).toBe(403);
    expect(await ask({ 'x-csrf-token': csrf, cookie: '' })).toBe(401);
    expect(await (await fetch(`${api.url}/docs`)).text()).not.toContain('data-csrf');
  });

  it('is ignored if the request contains a key, even a wrong one', async () => {
    const cookie = cookieOf(await enter(api.key));
    expect((await get(BATCHES, cookie, { 'x-api-key': 'dl_wrong' })).status).toBe(401);
  });

  it('ends when its key is revoked, and when the user signs out', async () => {
    const key = await api.issue();
    const cookie = cookieOf(await enter(key));
    await api.revoke(key);
    expect((await get(BATCHES, cookie)).status).toBe(401);
    const end = await fetch(`${api.url}/session/end`, { method: 'POST', redirect: 'manual', headers: { cookie } });
    expect([end.status, end.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringMatching(/^donorlens-[\w-]{8}=; Max-Age=0/),
    ]);
  });

  it('is offered by a sign-in form with a return path if a browser has no valid key', async () => {
    const navigation = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };
    const answer = await get('/data-charts/v1/about?token=dl_wrong', '', navigation);
    expect(answer.headers.get('referrer-policy')).toBe('same-origin'); // else browsers send its form with origin null
    const page = await answer.text();
    expect(page).toContain('action="/session"');
    expect(page).toContain('name="next" value="/data-charts/v1/about"');
  });
});
