import { dailyAt, filingsSchedule, hourly, monthly, nextScheduledTime } from './schedules';

const newest = (schedule: typeof monthly, now: string): string => schedule(new Date(now)).toISOString();

describe('ticks', () => {
  it('are on the hour', () => {
    expect(newest(hourly, '2026-11-20T14:59:59.999Z')).toBe('2026-11-20T14:00:00.000Z');
    expect(newest(hourly, '2026-11-20T14:00:00.000Z')).toBe('2026-11-20T14:00:00.000Z');
  });

  it('are on the quarter of the hour for filings that are checked every 15 minutes', () => {
    const [quarter, hour, off] = (['15m', 'hourly', 'off'] as const).map((fecFilings) =>
      filingsSchedule({ fecFilings }),
    );
    expect(newest(quarter!, '2026-11-20T14:59:59.999Z')).toBe('2026-11-20T14:45:00.000Z');
    expect(newest(quarter!, '2026-11-20T14:15:00.000Z')).toBe('2026-11-20T14:15:00.000Z');
    expect(newest(hour!, '2026-11-20T14:59:59.999Z')).toBe('2026-11-20T14:00:00.000Z');
    expect(off).toBeNull();
  });

  it('are at a time of day, of this day or the one before', () => {
    expect(newest(dailyAt(8 * 60 + 30), '2026-11-20T08:30:00Z')).toBe('2026-11-20T08:30:00.000Z');
    expect(newest(dailyAt(8 * 60 + 30), '2026-03-01T08:29:59Z')).toBe('2026-02-28T08:30:00.000Z');
  });

  it('are on the fourth of the month at 06:00, in this month or the one before', () => {
    expect(newest(monthly, '2026-11-20T14:00:00Z')).toBe('2026-11-04T06:00:00.000Z');
    expect(newest(monthly, '2026-11-04T05:59:59Z')).toBe('2026-10-04T06:00:00.000Z');
    expect(newest(monthly, '2027-01-01T00:00:00Z')).toBe('2026-12-04T06:00:00.000Z');
  });

  it('have a first one after a moment', () => {
    const next = (schedule: typeof monthly, now: string): string =>
      nextScheduledTime(schedule, new Date(now)).toISOString();
    expect(next(hourly, '2026-11-20T14:00:00Z')).toBe('2026-11-20T15:00:00.000Z');
    expect(next(hourly, '2026-12-31T23:59:59.999Z')).toBe('2027-01-01T00:00:00.000Z');
    expect(next(dailyAt(8 * 60 + 30), '2026-11-20T08:29:00Z')).toBe('2026-11-20T08:30:00.000Z');
    expect(next(dailyAt(8 * 60 + 30), '2026-02-28T08:30:00Z')).toBe('2026-03-01T08:30:00.000Z');
    expect(next(monthly, '2026-11-04T06:00:00Z')).toBe('2026-12-04T06:00:00.000Z');
    expect(next(monthly, '2026-12-31T00:00:00Z')).toBe('2027-01-04T06:00:00.000Z');
  });
});
