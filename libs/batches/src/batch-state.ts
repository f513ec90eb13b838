import { BATCH_STATES, type BatchState } from './batch';

/** Every move a batch may make; the guards in SQL are made from it. */
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
export const isOpen = (state: BatchState): boolean => mayMove(state, 'running') || state === 'running';

/** The states from which a batch may move there, as SQL. */
export const sqlBefore = (to: BatchState): string => sqlList(BATCH_STATES.filter((from) => mayMove(from, to)));
export const SQL_OPEN = sqlList(BATCH_STATES.filter(isOpen));
export const SQL_UNFINISHED = sqlList(BATCH_STATES.filter((state) => !isFinal(state)));

/** Nobody waits for the addresses of such a batch. One that has completed without some still gets them. */
export const SQL_IN_VAIN = sqlList(BATCH_STATES.filter((state) => isFinal(state) && state !== 'completed'));

/** A batch has ended: its retention begins. */
export const SQL_ENDS_NOW = 'finished_at = now(), expires_at = now() + (expires_at - created_at)';

function sqlList(states: readonly BatchState[]): string {
  return `(${states.map((state) => `'${state}'`).join(', ')})`;
}
