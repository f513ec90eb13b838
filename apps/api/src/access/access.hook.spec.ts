import { type FastifyRequest } from 'fastify';
import { presentedKey } from './access.hook';

const request = (url: string, query: Record<string, string | string[]> = {}, rawHeaders: string[] = []) => {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) headers[rawHeaders[at].toLowerCase()] ??= rawHeaders[at + 1];
  return { url, query, headers, raw: { rawHeaders } } as FastifyRequest;
};

describe('the key of a request', () => {
  it('is apiKey in the enrichment group and token in the charts group', () => {
    expect(presentedKey(request('/enrich/v1/x', { apiKey: 'a' }))).toBe('a');
    expect(presentedKey(request('/data-charts/v1/x', { token: 't' }))).toBe('t');
    expect(presentedKey(request('/enrich/v1/x', { token: 't' }))).toBeUndefined();
    expect(presentedKey(request('/data-charts/v1/x', { apiKey: 'a' }))).toBeUndefined();
    expect(presentedKey(request('/', { apiKey: 'a' }))).toBeUndefined();
  });

  it('is accepted in a header on every path', () => {
    expect(presentedKey(request('/x', {}, ['Authorization', 'Bearer a']))).toBe('a');
    expect(presentedKey(request('/x', {}, ['X-Api-Key', 'b']))).toBe('b');
    expect(presentedKey(request('/x', {}, ['Authorization', 'Basic a']))).toBeUndefined();
  });

  it('is accepted only once', () => {
    for (const [query, headers] of [
      [{ apiKey: ['a', 'a'] }, []],
      [{ apiKey: 'a', token: 'a' }, []],
      [{ apiKey: 'a' }, ['Authorization', 'Bearer a']],
      [{}, ['Authorization', 'Bearer a', 'authorization', 'Bearer a']],
      [{}, ['X-API-Key', 'a', 'x-api-key', 'a']],
    ] as [Record<string, string | string[]>, string[]][])
      expect(() => presentedKey(request('/enrich/v1/x', query, headers))).toThrow('Send the key once');
  });
});
