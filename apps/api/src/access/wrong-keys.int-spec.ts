import { KeyRepository, newKey } from '@donorlens/access-keys';
import { processRegistry } from '@donorlens/observability';
import { send } from '../../../../test/security/authorization/requests';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { MAX_WRONG_KEYS } from './wrong-keys';

const PATH = '/enrich/v1/ethnicity/surname/Smith/year/2010';
const FLOOD = 1000;

describe('wrong keys', () => {
  let api: RunningApi;
  const lines: string[] = [];
  beforeAll(async () => {
    api = await runningApi({}, true, (line) => void lines.push(line));
  });
  afterAll(() => api.close());

  const statusOf = async (key: string, client: string): Promise<number> =>
    (await send(api.url + PATH, { headers: { 'x-api-key': key } }, client)).status;

  it('are looked up 20 times a minute per client and then get 429, while known keys work', async () => {
    const client = '127.0.1.1';
    const lookups = jest.spyOn(api.app.get(KeyRepository), 'usableBySecret');
    const wrong = Array.from({ length: FLOOD }, () => newKey().key);
    const statuses: Record<number, number> = {};
    const clients = Array.from({ length: 50 }, async () => {
      for (let key = wrong.pop(); key !== undefined; key = wrong.pop()) {
        const status = await statusOf(key, client);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    });
    await Promise.all(clients);
    expect(statuses).toEqual({ 401: MAX_WRONG_KEYS, 429: FLOOD - MAX_WRONG_KEYS });
    expect(lookups.mock.calls.length).toBeLessThanOrEqual(MAX_WRONG_KEYS);
    lookups.mockRestore();
    expect(await statusOf(api.key, client)).toBe(200);
    expect(await statusOf(newKey().key, '127.0.1.2')).toBe(401);
    expect(await processRegistry().getSingleMetricAsString('donorlens_wrong_keys_total')).toContain(
      `outcome="blocked"} ${FLOOD - MAX_WRONG_KEYS}`,
    );
    const blocked = lines.filter((line) => line.includes('client blocked after'));
    expect(blocked.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ client, seconds: 60 }),
    ]);
    expect(blocked.join()).not.toContain('dl_');
  });

  it('are counted on every path and in the sign-in form, regardless of their form', async () => {
    const client = '127.0.1.3';
    const form = (key: string) =>
      send(
        `${api.url}/session`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ key }).toString(),
        },
        client,
      );
    for (let n = 0; n < MAX_WRONG_KEYS / 4; n++) {
      expect((await form('nonsense')).status).toBe(401);
      expect(await statusOf('x'.repeat(1000), client)).toBe(401);
      expect(await statusOf(newKey().key, client)).toBe(401);
      expect((await send(`${api.url}/data-charts/v1/about?token=wrong`, {}, client)).status).toBe(401);
    }
    const answer = await form('nonsense');
    expect(answer.status).toBe(429);
    expect(answer.body).toContain('"code":"rate-limited"');
    expect(answer.headers).toContain('["retry-after","60"]');
    expect((await form(api.key)).status).toBe(303);
  });

  it('are neither refused nor counted while the database does not answer, because the key may be right', async () => {
    const client = '127.0.1.4';
    const repository = api.app.get(KeyRepository);
    const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const polls = jest.spyOn(repository, 'listUnrevoked').mockRejectedValue(lost); // before the key exists
    const lookups = jest.spyOn(repository, 'usableBySecret').mockRejectedValue(lost);
    const { key, id } = await repository.issue({ name: 'not loaded yet', scopes: ['enrich:read'] });
    for (let n = 0; n <= MAX_WRONG_KEYS; n++) expect(await statusOf(key, client)).toBe(503);
    lookups.mockRestore();
    polls.mockRestore();
    await until('the keys are read again', async () => (await statusOf(key, client)) === 200);
    await repository.revoke(id);
  });
});
