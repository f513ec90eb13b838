import { CATCH_UP_RATE, CONFIRM_MS, type RetentionTime, TOLERATED_MS, advanceRetentionTime } from './retention-clock';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RUN = 5_000;

/** Runs every 5 s with a clock that is that far ahead. */
function hoursLater(hours: number, aheadMs: number): RetentionTime {
  let time: RetentionTime = { atMs: 0, aheadMs: 0 };
  for (let ms = RUN; ms <= hours * HOUR; ms += RUN) time = advanceRetentionTime(time, ms + aheadMs, RUN);
  return time;
}

describe('the retention clock', () => {
  it('starts at the time of the server and follows it, also when it is set back', () => {
    expect(advanceRetentionTime(null, 5 * DAY, RUN)).toEqual({ atMs: 5 * DAY, aheadMs: 0 });
    expect(advanceRetentionTime({ atMs: DAY, aheadMs: 0 }, DAY + TOLERATED_MS, 0)).toEqual({
      atMs: DAY + TOLERATED_MS,
      aheadMs: 0,
    });
    expect(advanceRetentionTime({ atMs: DAY, aheadMs: 40 }, DAY - HOUR, RUN)).toEqual({ atMs: DAY - HOUR, aheadMs: 0 });
  });

  it('advances no faster than process time for an hour after the clock jumped forward', () => {
    expect(hoursLater(0.5, 8 * DAY)).toEqual({ atMs: 0.5 * HOUR, aheadMs: 0.5 * HOUR });
    expect(advanceRetentionTime(hoursLater(0.5, 8 * DAY), 0.5 * HOUR, RUN)).toEqual({ atMs: 0.5 * HOUR, aheadMs: 0 });
  });

  it('catches up at four times the usual rate afterwards, until it agrees with the clock', () => {
    expect(CATCH_UP_RATE).toBe(4);
    expect(hoursLater(2, 8 * DAY).atMs).toBe(HOUR - RUN + 4 * (HOUR + RUN));
    expect(hoursLater(4, 6 * HOUR)).toEqual({ atMs: 10 * HOUR, aheadMs: 0 });
  });

  it('advances at most a minute in one run, so that the clock of a process cannot erase data', () => {
    expect(advanceRetentionTime({ atMs: 0, aheadMs: CONFIRM_MS }, 8 * DAY, 8 * DAY).atMs).toBe(4 * 60_000);
  });
});
