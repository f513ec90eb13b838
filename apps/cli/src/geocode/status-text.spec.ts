import { type GeocoderFacts, geocoderLine, geocoderText } from './status-text';

const NOW = new Date('2026-03-04T12:10:00Z');
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - 60_000 * minutes);
const facts = (more: Partial<GeocoderFacts> = {}): GeocoderFacts => ({
  ...{ circuit: 'closed', closedUntil: null, reason: null, oldestPendingAt: null },
  ...{ lastAnswerAt: null, lastFailureAt: null, lastError: null },
  ...{ calls: 0, callsFailed: 0, rowsSent: 0, rowsAnswered: 0, tieCalls: 0, hits: 0, misses: 0 },
  ...{ callsPerMinute: 600, waiting: 0, inCalls: 0, ties: 0, errors: 0 },
  ...{ outcomes: { MATCH: 0, NO_MATCH: 0, TIE: 0 }, callsAtOnce: 2, benchmark: 'Streets', vintage: 'Borders' },
  ...more,
});
const waiting = (more: Partial<GeocoderFacts> = {}) =>
  facts({ waiting: 1200, reason: 'of a reason', oldestPendingAt: minutesAgo(10), ...more });
const advice = (more: Partial<GeocoderFacts>): string | undefined =>
  geocoderText(waiting(more), NOW).find((line) => line.startsWith('what to do'));

describe('the status of the geocoder in words', () => {
  it('leaves out what is not known', () => {
    expect(geocoderText(facts(), NOW)).toEqual([
      'circuit       closed: calls go out',
      'waiting       no address',
      'last answer   never',
      'calls         0 answered, 0 failed; 0 ties looked into',
      'addresses     0 sent, 0 answered',
      'rate          600 calls a minute, 2 at once',
      'asks for      benchmark Streets, vintage Borders',
      '',
      'KNOWN     ADDRESSES\nMATCH     0\nNO_MATCH  0\nTIE       0',
    ]);
  });

  it('says what waits, why, and until when', () => {
    const text = geocoderText(
      waiting({
        ...{ circuit: 'open', closedUntil: new Date('2026-03-04T12:10:30Z'), inCalls: 1000, errors: 3 },
        ...{ lastFailureAt: minutesAgo(1), lastError: 'timeout', lastAnswerAt: minutesAgo(3), hits: 1, misses: 7 },
      }),
      NOW,
    );
    expect(text.slice(0, 9)).toEqual([
      'circuit       open: nothing is sent but one call in 30 s that tries the geocoder',
      'next try      2026-03-04 12:10:30 UTC',
      'waiting       1,200 addresses, the oldest since 2026-03-04 12:00:00 UTC, 10 min 0 s ago; 1,000 in calls, 3 errors',
      'why           of a reason',
      'what to do    nothing: rows stay PENDING, and calls go out again once it answers',
      'last answer   2026-03-04 12:07:00 UTC, 3 min 0 s ago',
      'last failure  2026-03-04 12:09:00 UTC, 1 min 0 s ago (timeout)',
      'calls         0 answered, 0 failed; 0 ties looked into',
      'addresses     0 sent, 0 answered',
    ]);
    expect(text).toContain('hit rate      12.5 % of 8 were known');
  });

  it('misses a worker only where nothing at all has happened for two minutes', () => {
    expect(advice({})).toContain('WORKER_QUEUES has geocode');
    expect(advice({ lastAnswerAt: minutesAgo(1) })).toBeUndefined();
    expect(advice({ lastFailureAt: minutesAgo(1) })).toBeUndefined();
    expect(advice({ oldestPendingAt: minutesAgo(1) })).toBeUndefined();
    expect(advice({ closedUntil: NOW })).toBeUndefined();
    expect(advice({ errors: 1200 })).toBeUndefined();
  });

  it('is told in a line', () => {
    expect(geocoderLine(facts())).toBe('calls go out, no address waits');
    expect(geocoderLine(facts({ circuit: 'open' }))).toBe('calls are stopped, no address waits');
    expect(geocoderLine(waiting())).toBe('1,200 addresses wait: of a reason');
    expect(geocoderLine(waiting({ waiting: 1 }))).toBe('1 address waits: of a reason');
  });
});
