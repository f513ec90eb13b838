import { Watchdog } from './consumers';

describe('the watchdog', () => {
  let now = 0;
  beforeEach(() => (now = 0));
  const dog = (longestJobMs = 0) => new Watchdog(longestJobMs, () => now);

  it('requests a new consumer after 60 s without a finished job, and gives up after three of them', () => {
    const watchdog = dog();
    const verdicts = [59, 60, 120, 180, 240].map((seconds) => {
      now = seconds * 1000;
      return watchdog.check(5);
    });
    expect(verdicts).toEqual(['fine', 'recreate', 'recreate', 'recreate', 'give-up']);
  });

  it('waits longer for queues whose jobs may take minutes', () => {
    const watchdog = dog(300_000);
    const verdicts = [359, 360].map((seconds) => {
      now = seconds * 1000;
      return watchdog.check(1);
    });
    expect(verdicts).toEqual(['fine', 'recreate']);
  });

  it('reports no fault while jobs end, while the queue is empty, and while the queue does not answer', () => {
    const watchdog = dog();
    for (const [seconds, jobs] of [
      [50, 5],
      [100, 0],
      [150, 5],
      [200, null],
      [250, 5],
    ] as const) {
      now = seconds * 1000;
      if (seconds === 50) watchdog.finished();
      expect(watchdog.check(jobs)).toBe('fine');
    }
  });
});
