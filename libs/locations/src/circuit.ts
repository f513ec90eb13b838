import { z } from 'zod';

/** An open circuit admits one call, the probe, this long after it opened and after each failed probe. */
export const PROBE_EVERY_MS = 30_000;
const FAILURES_TO_OPEN = 5;
/** The geocoder's circuit breaker as it is stored (jsonb): it opens after five failed calls in a row. */
export interface Circuit {
  /** A change of this shape gets a new number, and a migration that converts the stored state. */
  readonly version: 1;
  /** Milliseconds; null while the circuit is closed. */
  readonly openedAt: number | null;
  /** Ids of the calls that failed since the last answer, one for each failure. Empty while the circuit is open. */
  readonly failedCalls: readonly string[];
}

/** The circuit after an answered call, also of a call that began before the circuit opened. */
export const CLOSED: Circuit = { version: 1, openedAt: null, failedCalls: [] };

const storedShape = z.object({
  version: z.literal(1),
  openedAt: z.number().nullable(),
  failedCalls: z.array(z.string()),
});

/** The circuit of a stored value; null, which is a new one, for every other shape, so that calls go on. */
export const circuitOf = (stored: unknown): Circuit | null => storedShape.safeParse(stored).data ?? null;

/**
 * The circuit after a failed call. For an open circuit this is its probe, which keeps it open from now on.
 * @param now - milliseconds of the clock that all processes share
 */
export function recordFailure(circuit: Circuit | null, callId: string, now: number): Circuit {
  const { openedAt, failedCalls } = circuit ?? CLOSED;
  const failed = [...failedCalls, callId];
  if (openedAt === null && failed.length < FAILURES_TO_OPEN) return { ...CLOSED, failedCalls: failed };
  return { ...CLOSED, openedAt: now };
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
  const opened = circuit?.openedAt ?? null;
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
