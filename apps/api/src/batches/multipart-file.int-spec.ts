import { request as httpRequest } from 'node:http';
import { INTAKE_LIMITS } from '@donorlens/batches';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describe('forms over HTTP', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  afterAll(() => api.close());

  const BATCHES = '/enrich/v1/batches';
  const CSV = 'first_name,date\nMary,2016-10-01\n';
  const large = CSV + 'John,2016-10-01\n'.repeat(20_000);
  const part = (head: string, content: string): string =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const file = (content = CSV): string => part('name="file"; filename="a.csv"', content);
  const field = (name: string, value: string): string => part(`name="${name}"`, value);
  const type = field('type', 'age_gender');
  const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
  const many = (count: number): string => Array.from({ length: count }, (_, n) => field(`f${n}`, 'x')).join('');

  it.each([
    ['two files', type + file() + file()],
    ['a second file behind a large one', type + file(large) + file()],
    ['a field behind the file', file() + type],
    ['a field behind a large file', type + file(large) + field('min_age', '18')],
    ['51 fields', type + many(50) + file()],
    ['a field of 1,001 characters', type + field('map.date', 'x'.repeat(1001)) + file()],
    ['a field given twice', type + field('type', 'ethnicity') + file()],
    ['a field named __proto__ to map', type + field('map.__proto__', 'x') + file()],
    ['an unknown type', field('type', 'x') + file(large)],
    ['a broken part', `${type}--b\r\nno header\r\n\r\nx\r\n`],
    ['two hundred files', type + file().repeat(200)],
  ])('are rejected: %s', async (_what, form) => {
    for (const path of [BATCHES, `${BATCHES}/preview`]) {
      const answer = await api.post(path, `${form}--b--\r\n`, FORM);
      const isCut = path !== BATCHES && form.includes(large); // the preview has enough rows before it reads the error
      if (isCut && answer.status === 200) continue;
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ status: 400 })]);
    }
    expect((await api.send('/health/live')).status).toBe(200);
  });

  it('are rejected if they break off inside the file', async () => {
    const answer = await api.post(BATCHES, type + file(large).slice(0, -20), FORM);
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ reason: 'bad_form' })]);
  });

  it('are accepted up to the exact limits', async () => {
    const form = `${type}${many(49).replace('\r\n\r\nx', `\r\n\r\n${'x'.repeat(1000)}`)}${file(large)}--b--\r\n`;
    const answer = await api.post(BATCHES, form, FORM);
    expect([answer.status, await answer.json()]).toEqual([
      202,
      expect.objectContaining({ counts: expect.objectContaining({ total: 20_001 }) as unknown }),
    ]);
  });

  /** Sends only the beginning of a body. */
  function stalled(body: string, headers: Record<string, string>): ReturnType<typeof httpRequest> {
    const request = httpRequest(api.url + BATCHES, {
      method: 'POST',
      headers: { 'x-api-key': api.key, ...headers },
    });
    request.write(body);
    return request.on('error', () => undefined);
  }

  it.each([
    ['before its file', type],
    ['inside of its file', type + file(large).slice(0, -40)],
    ['behind its file', type + file()],
  ])('get 408 if they stall %s', async (_what, form) => {
    const limits: { idleMs: number } = INTAKE_LIMITS;
    const idle = jest.replaceProperty(limits, 'idleMs', 300);
    const request = stalled(form, FORM);
    const status = await new Promise((resolve) => request.on('response', (answer) => resolve(answer.statusCode)));
    expect(status).toBe(408);
    request.destroy();
    idle.restore();
  });

  it('do not break the api if clients disconnect at any point', async () => {
    const form = type + file(large);
    for (const length of [0, 10, type.length - 5, type.length + 20, type.length + 120, 100_000, form.length]) {
      const request = stalled(form.slice(0, length) || ' ', FORM);
      await new Promise((resolve) => setTimeout(resolve, 30));
      request.destroy();
    }
    for (const body of ['first_name,date\nMary,2016', large]) {
      const request = stalled(body, { 'content-type': 'text/csv' });
      await new Promise((resolve) => setTimeout(resolve, 30));
      request.destroy();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await api.send('/health/live')).status).toBe(200);
  });
});
