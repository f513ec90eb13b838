import { Readable } from 'node:stream';
import { HttpFault, type ServiceClient } from './service-client';
import { type Target, download } from './results';

type Answer = string | { readonly until: string };

/** A client that returns one answer per request. An answer with `until` breaks off after this text. */
function clientOf(...answers: readonly Answer[]): ServiceClient {
  let at = 0;
  const answer = function* (one: Answer): Generator<Buffer> {
    const text = typeof one === 'string' ? one : one.until;
    for (let i = 0; i < text.length; i += 3) yield Buffer.from(text.slice(i, i + 3));
    if (typeof one !== 'string') throw new HttpFault(503, 'cut', 1);
  };
  // A download calls no other method.
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

  it('resumes where it broke off, any number of times', async () => {
    await read({ until: 'abcde' }, { until: 'abcdefgh' }, { until: 'ab' }, 'abcdefghij');
    expect(piped).toBe('abcdefghij');
  });

  it('fails with a message if the new response differs from the bytes already written', async () => {
    await expect(read({ until: 'abcde' }, 'aXcdefghij')).rejects.toThrow(
      'the output is incomplete, read the results again',
    );
    expect(piped).toBe('abcde');
    piped = '';
    await expect(read({ until: 'abcde' }, 'abc')).rejects.toThrow('the output is incomplete, read the results again');
    expect(piped).toBe('abcde');
  });
});
