import { type CliError } from '../exit-code';
import { FirstStartWatch } from './readiness';

const fatal = '{"level":"fatal","msg":"DATA_SOURCE has no ssa/names.zip"}';

describe('the first start of a role', () => {
  it("fails immediately with the role's own reason and exit code after a permanent error", () => {
    const watch = new FirstStartWatch();
    watch.line('aggregator', fatal);
    expect(watch.shouldRestart('aggregator', { code: 3, signal: null })).toBe(false);
    const error = watch.signal.reason as CliError;
    expect(error.message).toBe('aggregator cannot start: DATA_SOURCE has no ssa/names.zip');
    expect(error.exitCode).toBe(3);
  });

  it('shows the current step of the role that loads the data', () => {
    const watch = new FirstStartWatch();
    expect(watch.waitText('Waiting for: data release.')).toBe('Waiting for: data release.');
    for (const step of ['reading /data', 'reading surnames'])
      watch.line('aggregator', `{"level":"info","msg":"loading reference data","step":"${step}"}`);
    watch.line('api', '{"level":"info","msg":"something else"}');
    expect(watch.waitText('Waiting for: data release.')).toBe(
      'Waiting for: data release. Current step: reading surnames.',
    );
  });

  it('fails with the exit code for a wrong environment if the role exits with it', () => {
    const watch = new FirstStartWatch();
    watch.line('worker', '{"level":"fatal","msg":"wrong environment: ADDRESS_SECRET is not the one"}');
    expect(watch.shouldRestart('worker', { code: 2, signal: null })).toBe(false);
    expect(watch.signal.reason).toMatchObject({ exitCode: 2, message: expect.stringContaining('ADDRESS_SECRET') });
  });

  it('tolerates three early exits but not a fourth', () => {
    const watch = new FirstStartWatch();
    const end = { code: 1, signal: null };
    expect([1, 2, 3].map(() => watch.shouldRestart('api', end))).toEqual([true, true, true]);
    expect(watch.shouldRestart('api', end)).toBe(false);
    expect((watch.signal.reason as CliError).exitCode).toBe(1);
  });

  it('tolerates every exit once the service has been ready', () => {
    const watch = new FirstStartWatch();
    watch.succeeded();
    expect(Array.from({ length: 9 }, () => watch.shouldRestart('worker', { code: 3, signal: null }))).not.toContain(
      false,
    );
    expect(watch.signal.aborted).toBe(false);
  });
});
