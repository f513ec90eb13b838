import { StopSignals } from './stop-signals';

describe('Ctrl-C', () => {
  it('asks once, and forces when it comes again', () => {
    const signals = new StopSignals();
    const force = jest.fn();
    signals.onForce(force);
    signals.handleSignal(10_000);
    expect(signals.stopRequested.signal.aborted).toBe(true);
    signals.handleSignal(10_300); // the same one, passed on by npm
    expect(force).not.toHaveBeenCalled();
    signals.handleSignal(11_500);
    expect(force).toHaveBeenCalledTimes(1);
  });

  it('resolves all waits, before and after', async () => {
    const signals = new StopSignals();
    const waiting = signals.untilRequested();
    signals.handleSignal(1);
    await expect(waiting).resolves.toBeUndefined();
    await expect(signals.untilRequested()).resolves.toBeUndefined();
  });
});
