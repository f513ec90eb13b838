import { type CliError } from '../exit-code';
import { FirstStartWatch } from './readiness';

const fatal = '{"level":"fatal","msg":"DATA_SOURCE has no ssa/names.zip"}';

describe('the first start of a role', () => {
  it("fails at once, with the role's own reason and code, where the role says it cannot work", () => {
    const watch = new FirstStartWatch();
    watch.line('aggregator', fatal);
    expect(watch.shouldRestart('aggregator', { code: 3, signal: null })).toBe(false);
    const error = watch.signal.reason as CliError;
    expect(error.message).toBe('aggregator cannot start: DATA_SOURCE has no ssa/names.zip');
    expect(error.exitCode).toBe(3);
  });

  it('names the step that the role which loads the data is at', () => {
    const watch = new FirstStartWatch();
    expect(watch.waitText('Waiting for: data release.')).toBe('Waiting for: data release.');
    for (const step of ['reading /data', 'reading surnames'])
      watch.line('aggregator', `{"level":"info","msg":"loading reference data","step":"${step}"}`);
    watch.line('api', '{"level":"info","msg":"something else"}');
    expect(watch.waitText('Waiting for: data release.')).toBe(
      'Waiting for: data release. Current step: reading surnames.',
    );
  });

  it('fails with the code for a wrong environment where that is what the role says', () => {
    const watch = new FirstStartWatch();
    watch.line('worker', '{"level":"fatal","msg":"wrong environment: ADDRESS_SECRET is not the one"}');
    expect(watch.shouldRestart('worker', { code: 2, signal: null })).toBe(false);
    expect(watch.signal.reason).toMatchObject({ exitCode: 2, message: expect.stringContaining('ADDRESS_SECRET') });
  });

  it('forgives three early ends, not a fourth', () => {
    const watch = new FirstStartWatch();
    const end = { code: 1, signal: null };
    expect([1, 2, 3].map(() => watch.shouldRestart('api', end))).toEqual([true, true, true]);
    expect(watch.shouldRestart('api', end)).toBe(false);
    expect((watch.signal.reason as CliError).exitCode).toBe(1);
  });

  it('forgives everything once the service was ready', () => {
    const watch = new FirstStartWatch();
    watch.succeeded();
    expect(Array.from({ length: 9 }, () => watch.shouldRestart('worker', { code: 3, signal: null }))).not.toContain(
      false,
    );
    expect(watch.signal.aborted).toBe(false);
  });
});
