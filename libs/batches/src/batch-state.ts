import { SQL_RETENTION_START } from '@donorlens/database';
import { BATCH_STATES, type BatchState } from './batch';

/** Allowed state transitions; the guards in SQL are generated from them. */
const TRANSITIONS: Readonly<Record<BatchState, readonly BatchState[]>> = {
  accepted: ['running', 'completed', 'cancelling', 'failed'],
  running: ['completed', 'cancelling', 'failed'],
  cancelling: ['cancelled', 'failed'],
  completed: ['expired'],
  cancelled: ['expired'],
  failed: ['expired'],
  expired: [],
};

export const mayMove = (from: BatchState, to: BatchState): boolean => TRANSITIONS[from].includes(to);

/** Its rows do not change any more. */
export const isFinal = (state: BatchState): boolean =>
  !TRANSITIONS[state].some((next) => next !== 'expired' && BATCH_STATES.includes(next));

/** Its chunks may be claimed. */
export const isOpen = (state: BatchState): boolean => mayMove(state, 'running') || state === 'running';

/** The states from which a batch may change to this one, as SQL. */
export const sqlBefore = (to: BatchState): string => sqlList(BATCH_STATES.filter((from) => mayMove(from, to)));
export const SQL_OPEN = sqlList(BATCH_STATES.filter(isOpen));
export const SQL_UNFINISHED = sqlList(BATCH_STATES.filter((state) => !isFinal(state)));

/** A batch in such a state does not need its addresses. One that completed without some still gets them. */
export const ABANDONED_STATES = sqlList(BATCH_STATES.filter((state) => isFinal(state) && state !== 'completed'));

/** Ends a batch: its retention begins. */
export const SQL_ENDS_NOW = `finished_at = now(), expires_at = ${SQL_RETENTION_START} + (expires_at - created_at)`;

function sqlList(states: readonly BatchState[]): string {
  return `(${states.map((state) => `'${state}'`).join(', ')})`;
}
