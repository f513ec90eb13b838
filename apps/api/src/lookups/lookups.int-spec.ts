import { type RunningApi, runningApi } from '../../../../test/support/running-api';

describe('endpoints 1 to 4 over HTTP', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  }, 60_000);
  afterAll(() => api.close());

  const queries = [
    { date: '2017-07-01', name: 'Thomas' },
    { date: '2017-07-01', name: 'No such name' },
    { date: '2017-07-01', name: 'MARY', id: 'mine' },
  ];

  it('answers bulk age and gender in the order of the queries, with the specified fields alone', async () => {
    const answer = await api.post('/enrich/v1/age_gender', { queries });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.text()).toMatch(
      /^\{"results":\[\{"age":\d+,"gender":"m"\},\{"age":null,"gender":null\},\{"age":\d+,"gender":"f","id":"mine"\}\]\}$/,
    );
  });
});
