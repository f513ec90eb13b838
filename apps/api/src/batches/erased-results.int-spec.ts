import { request as httpRequest, type IncomingMessage } from 'node:http';
import { BatchRepository } from '@donorlens/batches';
import { type RunningApi, runningApi } from '../../../../test/support/running-api';

describe('results that are erased while they are read', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHUNK_ROWS: '1000' });
  });
  afterAll(() => api.close());

  it('break off and do not end', async () => {
    const csv = `first_name,date,note\n${`Mary,2016-10-01,${'x'.repeat(3000)}\n`.repeat(10_000)}`; // more than sockets hold
    const sent = await api.post('/enrich/v1/batches?type=age_gender', csv, { 'content-type': 'text/csv' });
    const { links } = (await sent.json()) as { links: { self: string; results: string } };
    await api.work();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(api.url + links.results, { headers: { 'x-api-key': api.key } })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });
    expect(answer.statusCode).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 200)); // a slow reader: the rest waits in the database
    expect((await api.send(links.self, { method: 'DELETE' })).status).toBe(204);
    const end = await new Promise<string>((resolve) => {
      answer.on('end', () => resolve('ended')).on('error', () => resolve('broken off'));
      answer.resume();
    });
    expect([end, answer.complete]).toEqual(['broken off', false]);
  });

  it.each(
    ['results', 'errors'].flatMap((what) =>
      ['csv', 'json', 'ndjson'].flatMap((format) => ['gzip', 'identity'].map((coding) => [what, format, coding])),
    ),
  )('are not there where they are erased before the first row has left: %s as %s, %s', async (what, format, coding) => {
    const csv = 'first_name,date\nMary,2016-10-01\nMary,never\n';
    const sent = await api.post('/enrich/v1/batches?type=age_gender', csv, { 'content-type': 'text/csv' });
    const { id, links } = (await sent.json()) as { id: string; links: { self: string } };
    await api.work();
    const batches = api.app.get(BatchRepository);
    const get = batches.get.bind(batches);
    const erasing = jest.spyOn(batches, 'get').mockImplementationOnce(async (owner, asked) => {
      const found = await get(owner, asked);
      await batches.delete(owner, asked);
      return found;
    });
    const answer = await api.send(`${links.self}/${what}?format=${format}`, {
      headers: { 'x-api-key': api.key, 'accept-encoding': coding },
    });
    expect(erasing).toHaveBeenCalledWith(expect.any(String), id);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'not-found' })]);
    expect(answer.headers.get('content-encoding')).toBeNull();
    erasing.mockRestore();
  });
});
