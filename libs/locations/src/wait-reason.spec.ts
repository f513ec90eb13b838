import { CLOSED, circuitStatus } from './circuit';
import { type GeocoderFacts, waitReason } from './wait-reason';

const now = new Date('2026-03-04T12:00:00Z');
const later = (seconds: number): Date => new Date(now.getTime() + 1000 * seconds);
const openSince = (seconds: number) => ({ ...CLOSED, openedAt: now.getTime() - 1000 * seconds });

/** A geocoder that answers, and 1,234 addresses pending. */
const WELL: GeocoderFacts = {
  circuit: circuitStatus(null, null),
  blockedUntil: null,
  refusedReason: null,
  lastAnswerAt: later(-60),
  lastError: null,
  waiting: 1234,
  errors: 0,
  held: 0,
  ties: 0,
  running: 0,
  stranded: 0,
  strandedUntil: null,
  lastActivityAt: later(-60),
  nextRetryAt: null,
  callsPerMinute: 600,
  isAtRate: false,
  now,
};
const reason = (facts: Partial<GeocoderFacts>): string | null => waitReason({ ...WELL, ...facts });

describe('why addresses wait', () => {
  it('is null without waiting addresses', () => {
    expect(reason({ waiting: 0, lastAnswerAt: null, lastError: 'unreachable', refusedReason: 'no' })).toBeNull();
  });

  it('is the number of pending addresses, if the geocoder answers', () => {
    expect(reason({})).toBe('1,234 addresses pending');
    expect(reason({ waiting: 1 })).toBe('1 address pending');
    expect(reason({ running: 2 })).toBe('1,234 addresses pending, 2 calls in progress');
    expect(reason({ lastAnswerAt: null })).toContain('pending'); // requested for the first time just now
  });

  it('is the rate only if calls wait for it', () => {
    expect(reason({ isAtRate: true, running: 1, callsPerMinute: 478.6912 })).toBe(
      '1,234 addresses pending, limited to 478.7 calls a minute',
    );
    expect(reason({ isAtRate: true, callsPerMinute: 1 })).toContain('limited to 1 call a minute');
    expect(reason({ running: 1, callsPerMinute: 37.5 })).not.toContain('37.5');
  });

  it('is ties, if most are', () => {
    expect(reason({ waiting: 450, ties: 430 })).toBe('430 ties are resolved one by one, 20 other addresses pending');
    expect(reason({ waiting: 3, ties: 1, errors: 2 })).toBe('1 tie is being resolved');
    expect(reason({ waiting: 860, ties: 430 })).toBe('860 addresses pending');
  });

  it('is a worker without heartbeats, if it has all calls in progress', () => {
    const gone = { running: 2, stranded: 2, strandedUntil: later(7) };
    expect(reason(gone)).toBe(
      '1,234 addresses pending; the worker of the 2 calls in progress sends no heartbeat, ' +
        'its addresses are retried from 12:00:07 UTC',
    );
    expect(reason({ ...gone, running: 3 })).toContain('3 calls in progress');
  });

  it('is that no worker makes calls, after two minutes without one', () => {
    expect(reason({ lastActivityAt: later(-121) })).toContain('WORKER_QUEUES includes geocode');
    expect(reason({ lastActivityAt: later(-121), lastAnswerAt: null, lastError: 'reset' })).toContain('WORKER_QUEUES');
    expect(reason({ lastActivityAt: later(-121), running: 1 })).toContain('1 call in progress');
  });

  it('is a geocoder that has never answered, with the error and the next try', () => {
    const never = { lastAnswerAt: null, lastError: 'unreachable' };
    expect(reason({ ...never, circuit: circuitStatus(openSince(10), null) })).toBe(
      'the geocoder has never answered (last error: unreachable): it may not be reachable from here, ' +
        'check GEOCODER_URL and outbound network access; the next test call is at 12:00:20 UTC',
    );
    expect(reason(never)).toContain('calls are retried');
  });

  it('is a geocoder that fails, with the error and the next try', () => {
    const failing = { lastError: 'server_error' };
    expect(reason({ ...failing, circuit: circuitStatus(openSince(1), null) })).toBe(
      'the geocoder fails (last error: server_error); the next test call is at 12:00:29 UTC',
    );
    expect(reason({ ...failing, circuit: circuitStatus(openSince(31), null) })).toContain('the next call is a test');
    expect(reason({ ...failing, circuit: circuitStatus(openSince(31), now) })).toContain('a test call is in progress');
    expect(reason({ ...failing, circuit: circuitStatus(openSince(1), null), blockedUntil: later(90) })).toContain(
      'calls are paused until 12:01:30 UTC (Retry-After)',
    );
  });

  it('is a Retry-After of the geocoder', () => {
    expect(reason({ blockedUntil: later(90), lastError: 'rate_limited' })).toBe(
      'calls to the geocoder are paused until 12:01:30 UTC (Retry-After)',
    );
  });

  it('is a refused setting before anything else', () => {
    const refusedReason = 'the geocoder has no benchmark Public_AR_Census2010';
    expect(reason({ refusedReason, held: 1234, lastAnswerAt: null, lastError: 'refused' })).toBe(
      `no call is made: ${refusedReason} (see GEOCODER_URL, GEOCODER_BENCHMARK and GEOCODER_VINTAGE)`,
    );
  });

  it('is the number of the others, if only some have refused settings', () => {
    const some = { refusedReason: 'no such vintage', held: 34 };
    expect(reason(some)).toBe('1,200 addresses pending; 34 more are not sent: no such vintage');
    expect(reason({ ...some, circuit: circuitStatus(openSince(1), null) })).toMatch(
      /^the geocoder fails.*; 34 more are/,
    );
    expect(reason({ ...some, errors: 1200 })).toMatch(/^no call is made: no such vintage/);
    expect(reason({ refusedReason: 'no such vintage' })).toBe('1,234 addresses pending');
  });

  it('is the errors, if all waiting addresses are errors', () => {
    expect(reason({ waiting: 2, errors: 2, nextRetryAt: later(3600) })).toBe(
      '2 addresses failed in single-address calls; they are retried from 13:00:00 UTC; ' +
        'an operator retries them now by: bin/donorlens geocode retry --outcome ERROR',
    );
    expect(reason({ waiting: 3, errors: 2, nextRetryAt: later(3600) })).toContain('3 addresses pending');
  });
});
