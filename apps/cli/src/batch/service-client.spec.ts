import { withRetries, HttpFault } from './service-client';

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('retries against an unavailable service', () => {
  it('repeats a request until it is answered, and reports it once', async () => {
    let tries = 0;
    const reported: string[] = [];
    const answer = await withRetries(() => (++tries < 3 ? Promise.reject(refused()) : Promise.resolve('here')), {
      onRetry: (message) => reported.push(message),
    });
    expect(answer).toBe('here');
    expect(reported).toEqual(['connect ECONNREFUSED']);
  });

  it('ends after an error that a retry cannot resolve', async () => {
    let tries = 0;
    const denied = () => {
      tries++;
      return Promise.reject(new HttpFault(401, 'no', null));
    };
    await expect(withRetries(denied)).rejects.toThrow('no');
    expect(tries).toBe(1);
  });

  it('ends at the deadline', async () => {
    await expect(withRetries(() => Promise.reject(refused()), { retryMs: 300 })).rejects.toThrow('ECONNREFUSED');
  });

  it('does not wait for a Retry-After time beyond the deadline', async () => {
    const busy = () => Promise.reject(new HttpFault(429, 'busy', 60_000));
    await expect(withRetries(busy, { retryMs: 1_000 })).rejects.toThrow('busy');
  });

  it('ends immediately on Ctrl-C', async () => {
    const stop = new AbortController();
    const work = withRetries(() => Promise.reject(refused()), { signal: stop.signal });
    stop.abort();
    await expect(work).rejects.toThrow();
  });
});
