import { StopSignals } from './stop-signals';

describe('Ctrl-C', () => {
  it('requests a stop, and forces it when repeated', () => {
    const signals = new StopSignals();
    const force = jest.fn();
    signals.onForce(force);
    signals.handleSignal(10_000);
    expect(signals.stopRequested.signal.aborted).toBe(true);
    signals.handleSignal(10_300); // the same signal, forwarded by npm
    expect(force).not.toHaveBeenCalled();
    signals.handleSignal(11_500);
    expect(force).toHaveBeenCalledTimes(1);
  });

  it('is not counted twice if npm forwards it while the system clock is set forward', () => {
    const signals = new StopSignals();
    const force = jest.fn();
    signals.onForce(force);
    signals.listen();
    const clock = jest.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValue(3_600_000);
    for (let times = 0; times < 2; times++) process.emit('SIGHUP');
    signals.unlisten();
    clock.mockRestore();
    expect(signals.stopRequested.signal.aborted).toBe(true);
    expect(force).not.toHaveBeenCalled();
  });

  it('resolves waits that started before and after it', async () => {
    const signals = new StopSignals();
    const waiting = signals.untilRequested();
    signals.handleSignal(1);
    await expect(waiting).resolves.toBeUndefined();
    await expect(signals.untilRequested()).resolves.toBeUndefined();
  });
});
