import { withPatience, HttpFault } from './service-client';

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('patience with a service that goes away', () => {
  it('repeats a request until it is answered, and reports it once', async () => {
    let tries = 0;
    const reported: string[] = [];
    const answer = await withPatience(() => (++tries < 3 ? Promise.reject(refused()) : Promise.resolve('here')), {
      onRetry: (message) => reported.push(message),
    });
    expect(answer).toBe('here');
    expect(reported).toEqual(['connect ECONNREFUSED']);
  });

  it('ends where asking again cannot help', async () => {
    let tries = 0;
    const denied = () => {
      tries++;
      return Promise.reject(new HttpFault(401, 'no', null));
    };
    await expect(withPatience(denied)).rejects.toThrow('no');
    expect(tries).toBe(1);
  });

  it('ends when patience does', async () => {
    await expect(withPatience(() => Promise.reject(refused()), { patienceMs: 300 })).rejects.toThrow('ECONNREFUSED');
  });

  it('waits as long as the service asks for, if that is within patience', async () => {
    const busy = () => Promise.reject(new HttpFault(429, 'busy', 60_000));
    await expect(withPatience(busy, { patienceMs: 1_000 })).rejects.toThrow('busy');
  });

  it('ends at once on Ctrl-C', async () => {
    const stop = new AbortController();
    const work = withPatience(() => Promise.reject(refused()), { signal: stop.signal });
    stop.abort();
    await expect(work).rejects.toThrow();
  });
});
