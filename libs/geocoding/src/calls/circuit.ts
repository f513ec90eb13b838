import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';

/** A geocoder that failed five times in a row is left alone, but for one call every so often. */
export const PROBE_EVERY_MS = 30_000;
const FAILURES_TO_OPEN = 5;

type OwnState =
  | { readonly value: CircuitState.Closed }
  | { readonly value: CircuitState.Open; readonly openedAt: number; readonly attemptNo: number };

/** The circuit breaker as it is stored: cockatiel's toJSON(), and what the failures since the last answer are put down to. */
export interface Circuit {
  readonly ownState: OwnState;
  /** Failures in a row. */
  readonly breakerState: unknown;
  /** Ids of the calls that failed, one for each failure. Empty where the circuit is open. */
  readonly blamed: readonly string[];
}

/** Null where the circuit is closed. @returns when it opened, milliseconds */
export const openedAt = (circuit: Circuit | null): number | null =>
  circuit?.ownState.value === CircuitState.Open ? circuit.ownState.openedAt : null;

/** After an answer. It closes an open circuit whoever asked: also a call that began before the circuit opened. */
export const afterAnswer = (circuit: Circuit | null, now: number): Promise<Circuit> => fed(circuit, null, now);

/**
 * After a failed call, of an open circuit only after its probe: that keeps it open from now on.
 * @param now milliseconds, of the clock that all processes share
 */
export const afterFailure = (circuit: Circuit | null, callId: string, now: number): Promise<Circuit> =>
  fed(circuit, callId, now);

/** Cockatiel goes by this process's clock. So it is told that an open circuit opened long ago, and when it opens is set here. */
async function fed(circuit: Circuit | null, failedCall: string | null, now: number): Promise<Circuit> {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: PROBE_EVERY_MS,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
    initialState: circuit === null ? undefined : { ...circuit, ownState: ripe(circuit.ownState) },
  });
  const event = (): void => {
    if (failedCall !== null) throw new Error('failed');
  };
  await breaker.execute(event).catch(() => undefined);
  const { ownState, breakerState } = breaker.toJSON() as Omit<Circuit, 'blamed'>;
  if (ownState.value === CircuitState.Open)
    return { ownState: { ...ownState, openedAt: now }, breakerState, blamed: [] };
  return { ownState, breakerState, blamed: failedCall === null ? [] : [...(circuit?.blamed ?? []), failedCall] };
}

const ripe = (state: OwnState): OwnState =>
  state.value === CircuitState.Open ? { ...state, openedAt: 0 } : { ...state };
