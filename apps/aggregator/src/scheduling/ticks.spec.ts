import { hourly, monthly } from './ticks';

const newest = (schedule: typeof monthly, now: string): string => schedule(new Date(now)).toISOString();

describe('ticks', () => {
  it('are on the hour', () => {
    expect(newest(hourly, '2026-11-20T14:59:59.999Z')).toBe('2026-11-20T14:00:00.000Z');
    expect(newest(hourly, '2026-11-20T14:00:00.000Z')).toBe('2026-11-20T14:00:00.000Z');
  });

  it('are on the fourth of the month at 06:00, in this month or the one before', () => {
    expect(newest(monthly, '2026-11-20T14:00:00Z')).toBe('2026-11-04T06:00:00.000Z');
    expect(newest(monthly, '2026-11-04T05:59:59Z')).toBe('2026-10-04T06:00:00.000Z');
    expect(newest(monthly, '2027-01-01T00:00:00Z')).toBe('2026-12-04T06:00:00.000Z');
  });
});
