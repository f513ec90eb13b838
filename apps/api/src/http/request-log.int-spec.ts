import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describe('the log of requests', () => {
  let api: RunningApi;
  const lines: string[] = [];
  beforeAll(async () => {
    api = await runningApi({}, true, (line) => lines.push(line));
  });
  afterAll(() => api.close());

  it('contains the route, but never a URL, a key, a name or a header of the client', async () => {
    const secret = 'Zebulon';
    await api.send(`/enrich/v1/age_gender/name/${secret}/date/2017-07-01?format=json&apiKey=`, {
      headers: { authorization: `Bearer ${api.key}` },
    });
    await api.send(`/enrich/v1/ethnicity/surname/${secret}/year/2016?apiKey=${api.key}`, { headers: {} });
    await api.post('/enrich/v1/age_gender', { queries: [{ name: secret, date: 'never' }] });
    await api.send(`/nowhere/${secret}?token=${api.key}`);
    const text = lines.join('\n');
    expect(text).toContain('"route":"/enrich/v1/ethnicity/surname/:surname/year/:year"');
    expect(text).toContain('"status":404');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(api.key);
    expect(text).not.toMatch(/apiKey=|token=/);
  });
});
