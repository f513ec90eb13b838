import { createLogger } from '@donorlens/observability';
import { Duties, type Duty } from './duties';
import { UnusableDataSourceError } from './refreshing';
import { type Leadership, type Term } from './scheduling/leadership';

const TERM: Term = { epoch: '1', signal: new AbortController().signal, isCurrent: () => true };

describe('the duties of the leader', () => {
  afterEach(() => jest.restoreAllMocks());

  const lead = async (duties: readonly Duty[]): Promise<string[]> => {
    const steps: string[] = [];
    const ended = new Promise<void>((resolve) => {
      jest.spyOn(process, 'exit').mockImplementation((code) => {
        steps.push(`exit ${code}`);
        resolve();
        return undefined as never; // the test goes on
      });
    });
    const leadership = {
      start: (begin: (term: Term) => void) => Promise.resolve(begin(TERM)),
      beforeApplicationShutdown: () => Promise.resolve(void steps.push('lease given back')),
    } as unknown as Leadership;
    await new Duties(leadership, duties, createLogger('test', 'silent')).onApplicationBootstrap();
    await ended;
    return steps;
  };

  it('begin all of them at once, and end with the lease given back and code 3 where the data source cannot be used', async () => {
    const begun: string[] = [];
    const waiting: Duty = { during: ({ epoch }) => new Promise(() => begun.push(epoch)) };
    const unusable: Duty = { during: () => Promise.reject(new UnusableDataSourceError('no such folder')) };
    expect(await lead([waiting, unusable, waiting])).toEqual(['lease given back', 'exit 3']);
    expect(begun).toEqual(['1', '1']);
  });
});
