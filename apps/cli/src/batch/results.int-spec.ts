import { Readable } from 'node:stream';
import { HttpFault, type ServiceClient } from './service-client';
import { type Target, download } from './results';

type Answer = string | { readonly until: string };

/** A service whose answers to one question follow each other; one that is an error breaks off before it. */
function clientOf(...answers: readonly Answer[]): ServiceClient {
  let at = 0;
  const answer = function* (one: Answer): Generator<Buffer> {
    const text = typeof one === 'string' ? one : one.until;
    for (let i = 0; i < text.length; i += 3) yield Buffer.from(text.slice(i, i + 3));
    if (typeof one !== 'string') throw new HttpFault(503, 'cut', 1);
  };
  // The only method that a download calls.
  return { stream: () => Promise.resolve(Readable.from(answer(answers[at++]))) } as unknown as ServiceClient;
}

describe('a download to a pipe', () => {
  let piped = '';
  const target: Target = {
    write: (piece) => Promise.resolve(void (piped += Buffer.from(piece).toString())),
    done: () => Promise.resolve(),
    discard: () => undefined,
  };
  const read = (...answers: readonly Answer[]) => download(clientOf(...answers), '/results', 'text/csv', target, {});
  beforeEach(() => (piped = ''));

  it('goes on where it broke off, however often', async () => {
    await read({ until: 'abcde' }, { until: 'abcdefgh' }, { until: 'ab' }, 'abcdefghij');
    expect(piped).toBe('abcdefghij');
  });

  it('ends with what is wrong where the rest would not fit to what was written', async () => {
    await expect(read({ until: 'abcde' }, 'aXcdefghij')).rejects.toThrow(
      'the output is incomplete, read the results again',
    );
    expect(piped).toBe('abcde');
    piped = '';
    await expect(read({ until: 'abcde' }, 'abc')).rejects.toThrow('the output is incomplete, read the results again');
    expect(piped).toBe('abcde');
  });
});
