import { BATCH_STATES, type BatchState } from './batch';

/** Every move a batch may make. The guards in SQL are compared with it by a test. */
const MOVES: Readonly<Record<BatchState, readonly BatchState[]>> = {
  accepted: ['running', 'completed', 'cancelling', 'failed'],
  running: ['completed', 'cancelling', 'failed'],
  cancelling: ['cancelled', 'failed'],
  completed: ['expired'],
  cancelled: ['expired'],
  failed: ['expired'],
  expired: [],
};

export const mayMove = (from: BatchState, to: BatchState): boolean => MOVES[from].includes(to);

/** Nothing more will happen to its rows. */
export const isFinal = (state: BatchState): boolean =>
  !MOVES[state].some((next) => next !== 'expired' && BATCH_STATES.includes(next));

/** Its chunks may be taken. */
export const isOpen = (state: BatchState): boolean => state === 'accepted' || state === 'running';

/** The same as a list for SQL: states from which a batch may move there. */
export const statesBefore = (to: BatchState): BatchState[] => BATCH_STATES.filter((from) => mayMove(from, to));
