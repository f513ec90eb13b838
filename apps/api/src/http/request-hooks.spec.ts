import { type IncomingMessage } from 'node:http';
import { checkRequestShape } from './request-hooks';

const check =
  (headers: Record<string, string>, rawHeaders: readonly string[] = []) =>
  () =>
    checkRequestShape({
      httpVersion: '1.1',
      headers: { host: 'x', ...headers },
      rawHeaders,
    } as unknown as IncomingMessage);
const refused = (status: number): Error => expect.objectContaining({ status }) as Error;

describe('the shape of a request', () => {
  it('allows no transfer encoding other than chunked', () => {
    for (const coding of ['xchunked', 'identity', 'gzip, chunked', 'chunked, chunked'])
      expect(check({ 'transfer-encoding': coding })).toThrow(refused(400));
    expect(check({ 'transfer-encoding': 'Chunked' })).not.toThrow();
    expect(check({})).not.toThrow();
  });

  it('allows at most 200 headers', () => {
    const headers = (count: number): string[] => Array.from({ length: 2 * count }, () => 'x');
    expect(check({}, headers(201))).toThrow(refused(431));
    expect(check({}, headers(200))).not.toThrow();
  });

  it('allows headers of at most 16 kB', () => {
    expect(check({}, ['cookie', 'x'.repeat(16_378)])).not.toThrow();
    expect(check({}, ['cookie', 'x'.repeat(16_379)])).toThrow(refused(431));
  });
});
