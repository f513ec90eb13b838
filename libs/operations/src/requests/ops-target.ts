import { DomainError } from '@donorlens/primitives';
import { QUEUES } from '@donorlens/queues';
import { type OpsAction, type OpsTarget, REFRESHED } from './ops-request';

/** What was asked for cannot be done. */
export class OpsRequestError extends DomainError {
  readonly code = 'ops_request';
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const OF_QUEUES = ['queue', Object.values(QUEUES)] as const;

/** Which part of the target an action needs, and what it may be; null: the id of a batch. */
const NEEDED: Readonly<Record<OpsAction, readonly [keyof OpsTarget, readonly string[] | null]>> = {
  pause: OF_QUEUES,
  resume: OF_QUEUES,
  redrive: OF_QUEUES,
  'retry-addresses': ['outcome', ['ERROR']],
  refresh: ['source', REFRESHED],
  'cancel-batch': ['batch', null],
};

/** Only what the action needs. @throws OpsRequestError that says what it may be */
export function checkedTarget(action: OpsAction, target: OpsTarget): OpsTarget {
  const [part, choices] = NEEDED[action];
  const value = target[part];
  if (value !== undefined && (choices?.includes(value) ?? UUID.test(value))) return { [part]: value };
  const needed = choices ? choices.join(', ') : 'the id of a batch';
  throw new OpsRequestError(`${action} needs a ${part}: ${needed}`, { action, part });
}
