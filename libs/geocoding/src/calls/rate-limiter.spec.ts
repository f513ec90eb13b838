import fc from 'fast-check';
import { type Circuit } from '@donorlens/locations';
import {
  type LimiterState,
  type Limits,
  type Verdict,
  afterAnswered,
  afterFailed,
  applyRetryAfter,
  backoffMs,
  burst,
  mayStart,
} from './rate-limiter';

const T0 = 1_700_000_000_000;
const LIMITS: Limits = { callsAtOnce: 2, callsPerMinute: 600 };
const NEW: LimiterState = {
  circuit: null,
  probedAt: null,
  closedUntil: null,
  tokens: 10,
  refilledAt: T0,
  callsPerMinute: null,
};
const other = (id: string) => ({ id, isProbe: false });

function failedTimes(times: number, state = NEW, now = T0): LimiterState {
  for (let n = 0; n < times; n++) ({ state } = afterFailed(state, other(`call ${n}`), now));
  return state;
}
const why = (verdict: Verdict): string => ('why' in verdict ? verdict.why : verdict.isProbe ? 'probe' : 'start');
const waitMs = (verdict: Verdict): number => ('why' in verdict ? verdict.waitMs : 0);

const openedAt = (circuit: Circuit | null): number | null => circuit?.openedAt ?? null;

describe('the rate limiter', () => {
  it('runs two calls at a time, and the next one waits for a slot', () => {
    expect([0, 1, 2, 3].map((inFlight) => why(mayStart(NEW, LIMITS, T0, inFlight)))).toEqual([
      'start',
      'start',
      'slots',
      'slots',
    ]);
  });

  it('polls for a slot after a twentieth of the time since the last start, at most a second', () => {
    const waits = [0, 200, 4_000, 60_000].map((ms) => waitMs(mayStart(NEW, LIMITS, T0 + ms, 2)));
    expect(waits).toEqual([20, 20, 200, 1_000]);
  });

  it('starts a second of calls at once, then one each tenth of a second at 600 a minute', () => {
    let state = NEW;
    for (let n = 0; n < 10; n++) {
      const verdict = mayStart(state, LIMITS, T0, 0);
      if ('start' in verdict) state = verdict.start;
    }
    expect(mayStart(state, LIMITS, T0, 0)).toEqual({ waitMs: 100, why: 'rate' });
    expect(why(mayStart(state, LIMITS, T0 + 100, 0))).toBe('start');
  });

  it('lets the next call wait for tokens after a call with more requests than tokens', () => {
    expect(mayStart({ ...NEW, tokens: -10 }, LIMITS, T0, 0)).toEqual({ waitMs: 1_100, why: 'rate' });
  });

  it('opens with the fifth failure in a row, and an answer in between resets the count', () => {
    expect(openedAt(failedTimes(4).circuit)).toBeNull();
    expect(openedAt(failedTimes(5).circuit)).toBe(T0);
    const answeredOnce = afterAnswered(failedTimes(4), LIMITS);
    expect(openedAt(failedTimes(4, answeredOnce).circuit)).toBeNull();
    expect(openedAt(failedTimes(5, answeredOnce).circuit)).toBe(T0);
  });

  it('counts failures while it is closed, and resets them if they are those of the geocoder', () => {
    const fourth = afterFailed(failedTimes(3), other('call 3'), T0);
    expect(fourth).toMatchObject({ isCounted: true, reset: [] });
    const fifth = afterFailed(fourth.state, other('call 4'), T0);
    expect(fifth).toMatchObject({ isCounted: false, reset: ['call 0', 'call 1', 'call 2', 'call 3'] });
    const sixth = afterFailed(fifth.state, other('call 5'), T0 + 1_000);
    expect(sixth).toEqual({ state: fifth.state, isCounted: false, reset: [] });
  });

  it('resets fewer failures if only one call has failed, which may be its own fault', () => {
    let state = NEW;
    for (let n = 0; n < 4; n++) ({ state } = afterFailed(state, other('alone'), T0));
    expect(afterFailed(state, other('alone'), T0)).toMatchObject({ isCounted: false, reset: ['alone'] });
  });

  it('does not reset failures before an answer', () => {
    const state = afterAnswered(failedTimes(2), LIMITS);
    const { reset } = afterFailed(failedTimes(4, state), other('last'), T0);
    expect(reset).toEqual(['call 0', 'call 1', 'call 2', 'call 3']);
  });

  it('starts one probe 30 s after it opened, and one every 30 s while it fails', () => {
    const open = { ...failedTimes(5), tokens: 10 };
    expect(mayStart(open, LIMITS, T0 + 29_999, 0)).toEqual({ waitMs: 1, why: 'circuit_open' });
    const probe = mayStart(open, LIMITS, T0 + 30_000, 0);
    expect(why(probe)).toBe('probe');
    if (!('start' in probe)) return;
    expect(waitMs(mayStart(probe.start, LIMITS, T0 + 30_001, 1))).toBe(29_999);
    const { state } = afterFailed(probe.start, { id: 'probe', isProbe: true }, T0 + 35_000);
    expect(why(mayStart(state, LIMITS, T0 + 64_999, 0))).toBe('circuit_open');
    expect(why(mayStart(state, LIMITS, T0 + 65_000, 0))).toBe('probe');
  });

  it('starts calls although the end of their wait is an hour away, because the clock was set back', () => {
    const before = T0 + 3_600_000;
    const waiting: [string, LimiterState][] = [
      ['start', { ...NEW, closedUntil: before + 600_000 }],
      ['start', { ...NEW, tokens: 0, refilledAt: before }],
      ['probe', failedTimes(5, NEW, before)],
      ['probe', { ...failedTimes(5, NEW, T0 - 60_000), probedAt: before }],
    ];
    for (const [verdict, state] of waiting) expect(why(mayStart(state, LIMITS, T0, 0))).toBe(verdict);
  });

  it('closes with any answer, also of a call that started before it opened', () => {
    const open = failedTimes(5);
    const state = afterAnswered(open, LIMITS);
    expect(openedAt(state.circuit)).toBeNull();
    expect(why(mayStart(state, LIMITS, T0 + 1_000, 0))).toBe('start');
  });

  it('waits for a Retry-After, at most ten minutes, then continues at half the rate', () => {
    const told = applyRetryAfter(NEW, LIMITS, T0, 7_000);
    expect(told).toMatchObject({ callsPerMinute: 300, closedUntil: T0 + 7_000, circuit: null });
    expect(mayStart(told, LIMITS, T0 + 2_000, 0)).toEqual({ waitMs: 5_000, why: 'retry_after' });
    expect(why(mayStart(told, LIMITS, T0 + 7_000, 0))).toBe('start');
    expect(applyRetryAfter(NEW, LIMITS, T0, 86_400_000).closedUntil).toBe(T0 + 600_000);
    expect(applyRetryAfter(NEW, LIMITS, T0, null).closedUntil).toBe(T0 + 10_000);
  });

  it('applies a Retry-After although a stored one ends an hour ahead, because the clock was set back', () => {
    const told = applyRetryAfter({ ...NEW, closedUntil: T0 + 3_600_000 }, LIMITS, T0, 7_000);
    expect(told).toMatchObject({ callsPerMinute: 300, closedUntil: T0 + 7_000 });
  });

  it('halves the rate once for concurrent Retry-After answers, and not below one call a minute', () => {
    const twice = applyRetryAfter(applyRetryAfter(NEW, LIMITS, T0, 5_000), LIMITS, T0 + 10, 60_000);
    expect(twice).toMatchObject({ callsPerMinute: 300, closedUntil: T0 + 60_010 });
    expect(applyRetryAfter({ ...NEW, callsPerMinute: 1.5 }, LIMITS, T0, 1).callsPerMinute).toBe(1);
  });

  it('raises a lowered rate by a twentieth with each answer, up to the configured one', () => {
    expect(afterAnswered({ ...NEW, callsPerMinute: 300 }, LIMITS).callsPerMinute).toBe(315);
    expect(afterAnswered({ ...NEW, callsPerMinute: 590 }, LIMITS).callsPerMinute).toBeNull();
  });

  it('is the same after it was stored and read', () => {
    const open = failedTimes(5);
    const stored = { ...open, circuit: JSON.parse(JSON.stringify(open.circuit)) };
    expect(stored).toEqual(open);
    expect(openedAt(afterAnswered(stored, LIMITS).circuit)).toBeNull();
  });
});

/** What may happen next: time goes by, a call wants to start, one that runs ends. */
const EVENTS = ['start', 'start', 'start', 'answer', 'fail', 'fail', 'fail', 'too many', 'die'] as const;
interface Run {
  readonly id: string;
  readonly isProbe: boolean;
}
interface Seen {
  readonly starts: { at: number; isProbe: boolean; wasOpen: boolean; inFlight: number }[];
}

/** Applies the events to the limiter, and returns which calls started when. */
function live(limits: Limits, events: readonly (readonly [(typeof EVENTS)[number], number, number])[]): Seen {
  let state: LimiterState = { ...NEW, tokens: 0 };
  let now = T0;
  const running: Run[] = [];
  const starts: Seen['starts'] = [];
  for (const [event, gapMs, pick] of events) {
    now += gapMs;
    if (event === 'start') {
      const verdict = mayStart(state, limits, now, running.length);
      if ('why' in verdict) {
        expect(verdict.waitMs).toBeGreaterThan(0);
        continue;
      }
      starts.push({
        at: now,
        isProbe: verdict.isProbe,
        wasOpen: openedAt(state.circuit) !== null,
        inFlight: running.length,
      });
      state = verdict.start;
      running.push({ id: String(starts.length), isProbe: verdict.isProbe });
      continue;
    }
    const [call] = running.length > 0 ? running.splice(pick % running.length, 1) : [];
    if (!call) continue;
    if (event === 'answer') {
      state = afterAnswered(state, limits);
      expect(openedAt(state.circuit)).toBeNull();
    }
    if (event === 'fail') ({ state } = afterFailed(state, call, now));
    if (event === 'too many') state = applyRetryAfter(state, limits, now, gapMs);
  }
  return { starts };
}

describe('for any sequence of calls', () => {
  const limits = fc.record({
    callsAtOnce: fc.integer({ min: 1, max: 6 }),
    callsPerMinute: fc.integer({ min: 1, max: 2_000 }),
  });
  const gap = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 }));
  const events = fc.array(fc.tuple(fc.constantFrom(...EVENTS), gap, fc.nat(10)), { minLength: 50, maxLength: 400 });
  const holds = (property: (seen: Seen, limits: Limits) => void) =>
    fc.assert(
      fc.property(limits, events, (given, happening) => property(live(given, happening), given)),
      { numRuns: 150 },
    );

  it('only probes start while the circuit is open, and none while it is closed', () =>
    holds(({ starts }) => {
      for (const { isProbe, wasOpen } of starts) expect(isProbe).toBe(wasOpen);
    }));

  it('at most one probe starts in 30 s', () =>
    holds(({ starts }) => {
      const probes = starts.filter(({ isProbe }) => isProbe).map(({ at }) => at);
      for (let n = 1; n < probes.length; n++) expect(probes[n] - probes[n - 1]).toBeGreaterThanOrEqual(30_000);
    }));

  it('concurrent calls stay within the limit', () =>
    holds(({ starts }, { callsAtOnce }) => {
      for (const { inFlight } of starts) expect(inFlight).toBeLessThan(callsAtOnce);
    }));

  it('calls of any minute stay within the rate and one burst', () =>
    holds(({ starts }, given) => {
      const max = given.callsPerMinute + burst(NEW, given) + 1e-6;
      for (const { at } of starts)
        expect(starts.filter((start) => start.at >= at && start.at < at + 60_000).length).toBeLessThanOrEqual(max);
    }));

  it('random sequences start probes and use all slots', () => {
    let probes = 0;
    let full = 0;
    holds(({ starts }, { callsAtOnce }) => {
      probes += starts.filter(({ isProbe }) => isProbe).length;
      full += starts.filter(({ inFlight }) => inFlight === callsAtOnce - 1).length;
    });
    expect(probes).toBeGreaterThan(10);
    expect(full).toBeGreaterThan(10);
  });
});

describe('the wait after a failed call', () => {
  const longest = (failures: number): number => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.999999);
    const waitMs = backoffMs(failures);
    random.mockRestore();
    return waitMs;
  };

  it('is at most 1, 2, 4, 8 seconds, and never more than a minute', () => {
    expect([1, 2, 3, 4, 7, 50].map(longest)).toEqual([999, 1_999, 3_999, 7_999, 59_999, 59_999]);
  });

  it('may be zero, so that calls that failed together are not retried together', () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0);
    expect(backoffMs(6)).toBe(0);
    random.mockRestore();
  });
});
