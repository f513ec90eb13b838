import { type GeocoderFacts, geocoderLine, geocoderText, isBlocked } from './geocode-status';

const NOW = new Date('2026-03-04T12:10:00Z');
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - 60_000 * minutes);
const facts = (more: Partial<GeocoderFacts> = {}): GeocoderFacts => ({
  ...{ activity: 'nothing', refusedReason: null, running: 0, waitingUnder: [] },
  ...{ circuit: 'closed', closedUntil: null, reason: null, oldestPendingAt: null },
  ...{ lastAnswerAt: null, lastFailureAt: null, lastError: null },
  ...{ calls: 0, callsFailed: 0, rowsSent: 0, rowsAnswered: 0, tieCalls: 0, hits: 0, misses: 0 },
  ...{ callsPerMinute: 600, waiting: 0, inCalls: 0, ties: 0, errors: 0 },
  ...{
    outcomes: { MATCH: 0, NO_MATCH: 0, TIE: 0 },
    callsAtOnce: 2,
    host: 'geocoder.test',
    benchmark: 'Streets',
    vintage: 'Borders',
  },
  ...more,
});
const waiting = (more: Partial<GeocoderFacts> = {}) =>
  facts({ activity: 'sending', waiting: 1200, reason: 'of a reason', oldestPendingAt: minutesAgo(10), ...more });
const firstLine = (more: Partial<GeocoderFacts>): string => geocoderText(facts(more), NOW)[0];

describe('the text of the geocoder status', () => {
  it('omits unknown values', () => {
    expect(geocoderText(facts(), NOW)).toEqual([
      'geocoder      idle',
      'waiting       no address',
      'last answer   never',
      'calls         0 answered, 0 failed; 0 ties resolved',
      'addresses     0 sent, 0 answered',
      'running       0 calls, 2 at once at most',
      'rate          at most 600 calls a minute',
      "settings      host geocoder.test, benchmark Streets, vintage Borders, of this command's environment",
      '',
      'KNOWN     ADDRESSES\nMATCH     0\nNO_MATCH  0\nTIE       0',
    ]);
  });

  it('shows the pending addresses, the reason and the time of the next call', () => {
    const text = geocoderText(
      waiting({
        ...{
          activity: 'open',
          circuit: 'open',
          closedUntil: new Date('2026-03-04T12:10:30Z'),
          inCalls: 1000,
          errors: 3,
        },
        ...{ lastFailureAt: minutesAgo(1), lastError: 'timeout', lastAnswerAt: minutesAgo(3), hits: 1, misses: 7 },
      }),
      NOW,
    );
    expect(text.slice(0, 8)).toEqual([
      'geocoder      circuit open, one test call every 30 s; next test call 2026-03-04 12:10:30 UTC',
      'waiting       1,200 addresses, the oldest since 2026-03-04 12:00:00 UTC, 10 min 0 s ago; 1,000 packed into calls, 3 errors',
      'why           of a reason',
      'what to do    check the cause above; rows stay PENDING, and calls continue once the geocoder answers',
      'last answer   2026-03-04 12:07:00 UTC, 3 min 0 s ago',
      'last failure  2026-03-04 12:09:00 UTC, 1 min 0 s ago (timeout)',
      'calls         0 answered, 0 failed; 0 ties resolved',
      'addresses     0 sent, 0 answered',
    ]);
    expect(text).toContain('from store    1 of 8 addresses were known when submitted');
  });

  it('begins with the current activity', () => {
    const closedUntil = new Date('2026-03-04T12:10:30Z');
    expect(firstLine({ activity: 'sending', running: 2 })).toBe('geocoder      sending, 2 calls now');
    expect(firstLine({ activity: 'sending' })).toBe('geocoder      sending, no call in progress');
    expect(firstLine({ activity: 'paused', closedUntil })).toContain(
      'paused by the geocoder until 2026-03-04 12:10:30',
    );
    expect(firstLine({ activity: 'refused', refusedReason: 'no such vintage' })).toContain(
      'refused, no call is made: no',
    );
    expect(firstLine({ activity: 'refused', refusedReason: 'no', waiting: 1 })).toMatch(/no call is made$/);
    expect(firstLine({ activity: 'open' })).toContain('next test call now');
    expect(firstLine({ activity: 'probing' })).toContain('a test call is in progress');
    expect(firstLine({ activity: 'errors' })).toContain('only failed addresses wait');
    expect(firstLine({ activity: 'unattended' })).toContain('no worker takes calls');
  });

  it('rounds the rate', () => {
    expect(geocoderText(facts({ callsPerMinute: 478.6912 }), NOW)).toContain(
      'rate          at most 478.7 calls a minute',
    );
  });

  it('warns about pending addresses with other settings than those of this environment', () => {
    const waitingUnder = [
      { benchmark: 'Streets', vintage: 'Borders', waiting: 5 },
      { benchmark: 'Streets', vintage: 'Older', waiting: 1 },
    ];
    expect(geocoderText(waiting({ waitingUnder }), NOW).filter((line) => line.startsWith('warning'))).toEqual([
      'warning       1 address waits for an answer of benchmark Streets, vintage Older',
    ]);
  });

  it('has a form of one line', () => {
    expect(geocoderLine(facts())).toBe('idle');
    expect(geocoderLine(facts({ activity: 'unattended' }))).toBe('no worker takes calls');
    expect(geocoderLine(waiting({ running: 1 }))).toBe('sending, 1 call now; 1,200 addresses wait: of a reason');
    expect(geocoderLine(waiting({ activity: 'open' }))).toMatch(
      /one test call every 30 s; 1,200 addresses wait: of a reason$/,
    );
    expect(geocoderLine(waiting({ waiting: 1 }))).toContain('; 1 address waits: of a reason');
  });

  it('is blocked in every activity that geocodes no pending address', () => {
    const all = ['refused', 'open', 'probing', 'paused', 'unattended', 'nothing', 'errors', 'sending'] as const;
    const troubled = all.filter((activity) => isBlocked(facts({ activity })));
    expect(troubled).toEqual(['refused', 'open', 'probing', 'paused', 'unattended']);
  });
});
