import { type Installation } from '../support/installation';
import { describeWith } from '../support/tools';
import { checkAuthorization } from './authorization/authorization';
import { Fuzzer, reportOf as reportOfRequests } from './generated-requests/generated-requests';
import { TrialService } from './hostile-input/trial';
import { type Counted, reportOf as reportOfTrials, runTrial, TRIALS } from './hostile-input/trials';
import { expectPassed, FULL, sizeOf, startService } from './security-service';
import { SLOWNESSES } from './sockets/slow-sockets';
import { ambiguousRequests, slowConnections } from './sockets/sockets';

const SAMPLED_SLOWNESSES = ['no bytes', 'slow headers'] as const;
/**
 * The pages with hostile values take minutes in a browser; test/e2e/pages.e2e-spec.ts looks at every page in each run.
 */
const SAMPLED_TRIALS = Object.keys(TRIALS).filter((name) => name !== 'pages');

describeWith(
  'redis-server',
  'python3',
  'chromium',
)('a service under hostile requests', () => {
  let installation: Installation;
  const exits = (): number => installation.processes.reduce((sum, one) => sum + one.deaths, 0);

  beforeAll(async () => {
    installation = await startService();
  });
  afterAll(() => installation.stop());
  afterEach(() => expect(exits()).toBe(0));

  it('allows every route only for its scopes, and gives all refusals the same form', async () =>
    expectPassed('authorization', await checkAuthorization(installation, sizeOf('TIMING_ROUNDS', 0, 60))));

  it('refuses or reads hostile input as documented', async () => {
    const bench = new TrialService(installation.apiUrls[0]);
    const outcomes: Counted[] = [];
    for (const name of FULL ? Object.keys(TRIALS) : SAMPLED_TRIALS)
      outcomes.push(await runTrial(name, bench, installation));
    bench.close();
    expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
    expectPassed('hostile-input', reportOfTrials(outcomes, exits()));
  }, 1_200_000);

  it('answers requests generated from its document as documented there', async () => {
    const fuzzer = await Fuzzer.start(installation.apiUrls[0]);
    const started = performance.now();
    await fuzzer.run(sizeOf('HOSTILE_REQUESTS', 1_000, 100_000), sizeOf('SEED', 1, 1));
    expectPassed('generated-requests', reportOfRequests(fuzzer, exits(), (performance.now() - started) / 1000));
  }, 3_600_000);

  it('closes slow connections and refuses ambiguous requests, while it answers other clients', async () => {
    const [url] = installation.apiUrls;
    const [{ pid }] = installation.of('api');
    const api = { url, port: Number(new URL(url).port), pid };
    const malformed = await ambiguousRequests(api.port);
    const slownesses = FULL ? SLOWNESSES : SAMPLED_SLOWNESSES;
    expectPassed('sockets', await slowConnections(sizeOf('SLOW_SOCKETS', 40, 2_000), api, slownesses, malformed));
  });
});
