import { DomainError } from '@donorlens/primitives';
import { QUEUES } from '@donorlens/queues';

/** Actions that operators can request. */
export const OPS_ACTIONS = ['pause', 'resume', 'redrive', 'retry-addresses', 'refresh', 'cancel-batch'] as const;
export type OpsAction = (typeof OPS_ACTIONS)[number];

/** Data that operators can refresh. */
export const SOURCE_KINDS = ['reference-data', 'fec', 'filings', 'charts'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What an action is about: a queue, a source of data, an outcome of addresses, or a batch. */
export interface OpsTarget {
  readonly queue?: string;
  readonly source?: string;
  readonly outcome?: string;
  readonly batch?: string;
}

export type OpsState = 'asked' | 'running' | 'done' | 'failed';

/** A request that the leader runs. */
export interface OperatorRequest {
  readonly id: string;
  readonly action: OpsAction;
  readonly target: OpsTarget;
  readonly actor: string;
  /** Fencing token of the leader that runs it: a former leader cannot finish it. */
  readonly epoch: string;
}

/** An entry of the audit log: an operator request with its result, or another change. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** Name of an API key, or `operator` for the command line. */
  readonly actor: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Null: the change was made when the entry was written. */
  readonly state: OpsState | null;
  readonly finishedAt: Date | null;
  /** Result of a request. */
  readonly outcome: Readonly<Record<string, unknown>> | null;
}

/** Label of the state of an audit entry. */
export function auditStateLabel({ action, state }: Pick<AuditEntry, 'action' | 'state'>): string {
  if (state === null) return action.endsWith('.started') ? 'started' : 'done';
  return state === 'asked' ? 'requested' : state;
}

/** A flag of a result in words; null for any other property. */
export function flagText(name: string, value: unknown): string | null {
  if (name === 'paused') return value === true ? 'paused' : 'resumed';
  if (name === 'isProbed') return value === true ? 'the next call is a test' : 'no test call';
  return null;
}

/** Name of a property in words: `paused until` for `pausedUntil`. */
export const propertyLabel = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A request whose target does not fit its action. */
export class OperatorRequestError extends DomainError {
  readonly code = 'ops_request';
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const QUEUE_TARGET = ['queue', Object.values(QUEUES)] as const;

/** Which part of the target an action needs, and what it may be; null: the id of a batch. */
const NEEDED: Readonly<Record<OpsAction, readonly [keyof OpsTarget, readonly string[] | null]>> = {
  pause: QUEUE_TARGET,
  resume: QUEUE_TARGET,
  redrive: QUEUE_TARGET,
  'retry-addresses': ['outcome', ['ERROR']],
  refresh: ['source', SOURCE_KINDS],
  'cancel-batch': ['batch', null],
};

/** Only what the action needs. @throws OperatorRequestError that says what it may be */
export function checkedTarget(action: OpsAction, target: OpsTarget): OpsTarget {
  const [part, choices] = NEEDED[action];
  const value = target[part];
  if (value !== undefined && (choices?.includes(value) ?? UUID.test(value))) return { [part]: value };
  const needed = choices ? `one of ${choices.join(', ')}` : 'the id of a batch';
  throw new OperatorRequestError(`the ${part} of a ${action} request must be ${needed}`, { action, part });
}

/**
 * Requests of one queue run one after the other. Requests that take a moment do not wait for those that take an hour, and
 * requests that load data run in the task that loads them on schedule, so that two never load the same data. The values
 * are SQL conditions.
 */
export const REQUEST_QUEUES = {
  prompt: `action in ('redrive', 'retry-addresses', 'cancel-batch')`,
  'reference-data': `action = 'refresh' and target ->> 'source' = 'reference-data'`,
  'campaign-data': `action = 'refresh' and target ->> 'source' in ('fec', 'filings', 'charts')`,
} as const;
export type RequestQueue = keyof typeof REQUEST_QUEUES;

/**
 * SQL condition of pause and resume requests. The leader applies the requested state every second; a request is completed
 * when the queue server has that state.
 */
export const SQL_IS_PAUSE_REQUEST = `action in ('pause', 'resume')`;
