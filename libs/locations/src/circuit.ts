/** After a failure of an open circuit's probe, or after its opening, nothing is sent for so long. */
const PROBE_EVERY_MS = 30_000;
const OPEN = 1;

export interface Circuit {
  /** Open: only a probe is let through; probing: one is out. */
  readonly circuit: 'closed' | 'open' | 'probing';
  /** Milliseconds; null where the circuit is closed. */
  readonly openedAt: number | null;
  /** Milliseconds; 0: never. */
  readonly probedAt: number;
}

/**
 * The stored circuit breaker.
 * @param stored    cockatiel's toJSON(), {ownState: {value, openedAt}}: value 0 closed, 1 open, with milliseconds; null: new
 * @param probedAt  when a call was last let through while it was open; a probe that failed makes openedAt later than that
 */
export function circuitOf(stored: unknown, probedAt: Date | null): Circuit {
  const { value, openedAt } = ownState(stored);
  const probed = probedAt?.getTime() ?? 0;
  if (value !== OPEN) return { circuit: 'closed', openedAt: null, probedAt: probed };
  return { circuit: probed >= openedAt ? 'probing' : 'open', openedAt, probedAt: probed };
}

/** When an open circuit lets the next call through; null where it would now, or is closed. */
export function nextTryAt({ openedAt, probedAt }: Circuit, now: Date): Date | null {
  if (openedAt === null) return null;
  const next = new Date(Math.max(openedAt, probedAt) + PROBE_EVERY_MS);
  return next > now ? next : null;
}

function ownState(stored: unknown): { value?: number; openedAt: number } {
  // jsonb that only our own code writes.
  const state = (stored as { ownState?: { value?: number; openedAt?: number } } | null)?.ownState;
  return { value: state?.value, openedAt: state?.openedAt ?? 0 };
}
