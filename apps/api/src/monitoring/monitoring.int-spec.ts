import { type RunningApi, runningApi } from '../../../../test/support/running-api';

describe('health', () => {
  let api: RunningApi;
  afterEach(() => api.close());

  it('is ready when database, schema and a data release are there, and names the release', async () => {
    api = await runningApi();
    expect(await (await fetch(`${api.url}/health/live`)).json()).toEqual({ status: 'live' });
    const answer = await fetch(`${api.url}/health/ready/`);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        status: 'ready',
        release: expect.stringMatching(/^sample\./) as string,
        label: 'sample',
        checks: { database: 'ok', schema: 'ok', data_release: 'ok' },
      },
    ]);
  });

  it('is not ready without a data release, says so, and look-ups answer 503', async () => {
    api = await runningApi({}, false);
    expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
    const answer = await fetch(`${api.url}/health/ready`);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({
        code: 'unavailable',
        detail: 'Waiting for: data release.',
        checks: { database: 'ok', schema: 'ok', data_release: 'missing' },
      }),
    ]);
    expect((await fetch(`${api.url}/`)).status).toBe(200);
    const lookup = await api.send('/enrich/v1/ethnicity/surname/Smith/year/2010');
    expect([lookup.status, lookup.headers.get('retry-after')]).toEqual([503, '5']);
  });
});
