import { CallProducer } from '@donorlens/queues';
import { until } from '../../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../../test/support/service/running-api';

interface Session {
  readonly cookie: string;
  readonly csrf: string;
}

describe('the operations console', () => {
  let api: RunningApi;
  let session: Session;
  beforeAll(async () => {
    api = await runningApi();
    session = await enter(api, api.key);
  });
  afterAll(() => api.close());

  const post = (path: string, { cookie }: Pick<Session, 'cookie'>, headers: Record<string, string> = {}) =>
    fetch(api.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
    });
  const status = async () => (await api.send('/ops?format=json')).json() as Promise<Seen>;

  it('requires the scope ops, and asks browser users for a key', async () => {
    const other = await api.issue({ scopes: ['enrich:read', 'enrich:batch', 'charts:read'] });
    const visit = (headers: Record<string, string>) =>
      fetch(`${api.url}/ops`, { headers: { accept: 'text/html,application/xhtml+xml', ...headers } });
    const [anonymous, user, operator] = await Promise.all(
      [{}, { 'x-api-key': other }, { cookie: session.cookie }].map((headers) =>
        visit(headers as Record<string, string>),
      ),
    );
    expect([anonymous.status, user.status, operator.status]).toEqual([401, 403, 200]);
    expect(await anonymous.text()).toContain('name="next" value="/ops"');
    expect(await operator.text()).toContain('Queues</h2>');
  });

  it('has the same content as JSON', async () => {
    const seen = await status();
    expect(seen.queues.map(({ queue, standstill }) => [queue, standstill])).toEqual([
      ['enrich', null],
      ['geocode', null],
    ]);
    expect(seen).toMatchObject({ leader: null, database_away_since: null, violations: 0 });
    expect(seen.overall).toMatch(/^\d alerts\. Enrichment idle, geocoding idle\.$/);
  });

  it('does not show text from the URL', async () => {
    const answer = await api.send('/ops?asked=any%20words');
    expect([answer.status, await answer.text()]).toEqual([400, expect.not.stringContaining('any words')]);
    expect((await api.send('/ops?asked=17')).status).toBe(200);
    const headers = { 'x-api-key': api.key, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const page = await api.send('/ops?format=xml', { headers });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });

  it('shows why a queue has stopped', async () => {
    const sent = await api.post('/enrich/v1/batches?type=ethnicity', '{"surname":"Smith","year":2016}\n', {
      'content-type': 'application/x-ndjson',
    });
    expect(sent.status).toBe(202);
    const page = await until('the words', async () => {
      const text = await (await fetch(`${api.url}/ops`, { headers: { cookie: session.cookie } })).text();
      return text.includes('start one whose WORKER_QUEUES includes enrich') && text;
    });
    expect(page).toContain('<strong>Stopped</strong>. The <a href="#attention">alerts</a> name the reason.');
    expect(page.match(/No worker is running/g)).toHaveLength(1);
    expect(page).toContain('<td class="text">queued</td>'); // as in the list of batches
  });

  it('submits the operator request of a form under the name of the key, and shows its state', async () => {
    const answer = await post(`/ops/ask?action=pause&queue=enrich&csrf=${session.csrf}`, session);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/ops\?asked=\d+$/)]);
    const back = await fetch(api.url + answer.headers.get('location'), { headers: { cookie: session.cookie } });
    expect(await back.text()).toContain('pause queue enrich: Requested; takes effect within a second');
    const unknown = await fetch(`${api.url}/ops?asked=99999`, { headers: { cookie: session.cookie } });
    expect(await unknown.text()).toContain('Request 99999 is not among the latest entries of the audit log.');
    const { queues, audit } = await status();
    expect(queues[0]).toMatchObject({
      paused_by: 'test',
      standstill: expect.stringMatching(/^Paused by key “test.*: not in effect yet/),
    });
    expect(audit[0]).toMatchObject({ actor: 'test', action: 'ops.pause', state: 'asked' });
  });

  it('rejects a request without the token, from another site, or with an unknown target', async () => {
    const before = (await status()).audit.length;
    const resume = '/ops/ask?action=resume&queue=enrich';
    const { csrf } = session;
    expect((await post(resume, session)).status).toBe(403);
    expect((await post(`${resume}&csrf=${csrf}`, session, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post(`${resume}&csrf=${csrf}`, { cookie: '' })).status).toBe(401);
    const wrong = await post(`/ops/ask?action=pause&queue=all&csrf=${csrf}`, session);
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('enrich, geocode')]);
    expect((await post(`/ops/ask?action=drop&csrf=${csrf}`, session)).status).toBe(400);
    expect((await status()).audit).toHaveLength(before);
  });

  it('accepts operator requests of API clients with a key', async () => {
    const answer = await api.send('/ops/ask?action=resume&queue=enrich', { method: 'POST' });
    expect(answer.status).toBe(303);
    expect((await status()).queues[0].paused_at).toBeNull();
  });

  it('lists the jobs of each queue for the scope ops', async () => {
    const callId = '17';
    await api.app.get(CallProducer).enqueue([{ callId }]);
    expect((await fetch(`${api.url}/ops/queues`)).status).toBe(401);
    const page = await fetch(`${api.url}/ops/queues`, { headers: { cookie: session.cookie } });
    expect(await page.text()).toContain(`call ${callId}</th><td>waiting</td>`);
  });
});

interface Seen {
  readonly overall: string;
  readonly queues: readonly { queue: string; standstill: string | null; paused_at: string | null }[];
  readonly audit: readonly { actor: string; action: string }[];
}

async function enter(api: RunningApi, key: string): Promise<Session> {
  const answer = await fetch(`${api.url}/session`, {
    method: 'POST',
    body: new URLSearchParams({ key, next: '/ops' }),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${api.url}/ops`, { headers: { cookie } })).text();
  return { cookie, csrf: decodeURIComponent(/csrf=([^"&]+)/.exec(page)?.[1] ?? '') };
}
