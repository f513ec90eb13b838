/** An open circuit admits one call, the probe, this long after it opened and after each failed probe. */
export const PROBE_EVERY_MS = 30_000;
const FAILURES_TO_OPEN = 5;
const STATES = { closed: 0, open: 1 } as const;

/** The geocoder's circuit breaker as it is stored (jsonb): it opens after five failed calls in a row. */
export interface Circuit {
  readonly ownState: { readonly value: number; readonly openedAt?: number };
  /** Ids of the calls that failed since the last answer, one for each failure. Empty while the circuit is open. */
  readonly failedCalls?: readonly string[];
  /** What `failedCalls` was called before 1.0.0. */
  readonly blamed?: readonly string[];
}

/** The circuit after an answered call, also of a call that began before the circuit opened. */
export const CLOSED: Circuit = { ownState: { value: STATES.closed }, failedCalls: [] };

export const failedCallsOf = (circuit: Circuit | null): readonly string[] =>
  circuit?.failedCalls ?? circuit?.blamed ?? [];

/** When the circuit opened, milliseconds; null while it is closed. */
export const openedAt = (circuit: Circuit | null): number | null =>
  circuit?.ownState.value === STATES.open ? (circuit.ownState.openedAt ?? 0) : null;

/**
 * The circuit after a failed call. For an open circuit this is its probe, which keeps it open from now on.
 * @param now - milliseconds of the clock that all processes share
 */
export function recordFailure(circuit: Circuit | null, callId: string, now: number): Circuit {
  const failedCalls = [...failedCallsOf(circuit), callId];
  if (openedAt(circuit) === null && failedCalls.length < FAILURES_TO_OPEN)
    return { ownState: { value: STATES.closed }, failedCalls };
  return { ownState: { value: STATES.open, openedAt: now }, failedCalls: [] };
}

export interface CircuitStatus {
  /** Open: only a probe is admitted; probing: one is running. */
  readonly circuit: 'closed' | 'open' | 'probing';
  /** Milliseconds; null while the circuit is closed. */
  readonly openedAt: number | null;
  /** Milliseconds; 0: never. */
  readonly probedAt: number;
}

/**
 * The status of the stored circuit; null is a new one, which is closed.
 * @param probedAt - when an open circuit last admitted a call; after a failed probe openedAt is later than that
 */
export function circuitStatus(circuit: Circuit | null, probedAt: Date | null): CircuitStatus {
  const opened = openedAt(circuit);
  const probed = probedAt?.getTime() ?? 0;
  if (opened === null) return { circuit: 'closed', openedAt: null, probedAt: probed };
  return { circuit: probed >= opened ? 'probing' : 'open', openedAt: opened, probedAt: probed };
}

/** When an open circuit admits its next probe; null if it would now, or is closed. */
export function nextTryAt({ openedAt: opened, probedAt }: CircuitStatus, now: Date): Date | null {
  if (opened === null) return null;
  const next = new Date(Math.max(opened, probedAt) + PROBE_EVERY_MS);
  return next > now ? next : null;
}
