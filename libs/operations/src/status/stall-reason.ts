import { type GeocoderStatus } from '@donorlens/locations';
import { counted } from '@donorlens/primitives';
import { type QueueName } from '@donorlens/queues';
import { type QueueStatus } from './operations-status';

/** What decides whether a queue makes progress. */
export interface QueueFacts extends Pick<
  QueueStatus,
  | 'pausedAt'
  | 'pausedBy'
  | 'resumedAt'
  | 'isPauseApplied'
  | 'waiting'
  | 'waitingRows'
  | 'inWork'
  | 'waitingForRetry'
  | 'nextRetryAt'
  | 'jobs'
  | 'oldestWaitingAt'
  | 'workers'
  | 'doneRecently'
  | 'failedRecently'
> {
  readonly queue: QueueName;
  readonly now: Date;
  /** An aggregator is the leader. */
  readonly hasLeader: boolean;
  /** State of the geocoder for the queue `geocode`; null for `enrich`. */
  readonly geocoder: Pick<GeocoderStatus, 'activity' | 'reason'> | null;
  /** Heartbeats are late, so missing processes are not known. */
  readonly areHeartbeatsLate: boolean;
  /** The queue server. */
  readonly server: 'Redis' | 'The database';
  /** Host and port of the server, and the variable that sets them. */
  readonly serverAt: string;
}

/** A queue is stalled if it has work and no job was done for this long, because all failed or none ended. */
export const STALLED_MINUTES = 2;
/** A single row or address fails less often. */
const MIN_FAILURES = 10;
/** Younger work is not stalled: jobs are added every second, and lost ones again after 15 s. */
const MIN_WAIT_MS = 30_000;
/** Clocks differ by no more, unless one was set. */
export const CLOCK_SLACK_MS = 2_000;
/** States in which geocoding is blocked, except for one test call. */
const BLOCKED: ReadonlySet<GeocoderStatus['activity']> = new Set(['refused', 'open', 'probing', 'paused', 'errors']);

/**
 * Why a queue makes no progress, in sentences that an operator can act on; null: it makes progress or is empty. All
 * obstacles are named at once, so that the operator does not find them one by one.
 */
export function stallReason(facts: QueueFacts): string | null {
  if (!hasWork(facts)) return null;
  const obstacles = [
    pause(facts),
    missingWorker(facts),
    missingServer(facts),
    missingLeader(facts),
    geocoderBlock(facts),
  ];
  const known = obstacles.filter((obstacle) => obstacle !== null);
  if (known.length > 0) return known.join(' ');
  return onlyRetries(facts) ?? (facts.areHeartbeatsLate || isNew(facts) ? null : noSuccess(facts));
}

const hasWork = ({ waiting, waitingRows, waitingForRetry }: QueueFacts): boolean =>
  waiting + waitingRows + waitingForRetry > 0;

const pause = ({ pausedAt, pausedBy, isPauseApplied, now }: QueueFacts): string | null => {
  if (pausedAt === null) return null;
  const effect = isPauseApplied
    ? 'no job is taken until the queue is resumed'
    : 'not in effect yet, workers take jobs until a leader applies it';
  return `Paused by ${pauserText(pausedBy)} ${sinceText(pausedAt, now)}: ${effect}.`;
};

/** `key “night shift”`; of the command line only `operator` is known. */
export const pauserText = (pausedBy: string | null): string =>
  pausedBy === null || pausedBy === 'operator' ? 'an operator' : `key “${pausedBy}”`;

const missingWorker = ({ workers, queue, inWork, areHeartbeatsLate }: QueueFacts): string | null => {
  if (workers > 0 || areHeartbeatsLate) return null;
  const left =
    inWork > 0 ? ` ${counted(inWork, QUEUE_LABELS[queue].job)} in progress will be retried within 30 seconds.` : '';
  return `No worker is running for it: start one whose WORKER_QUEUES includes ${queue}.${left}`;
};

const missingServer = ({ jobs, server, serverAt }: QueueFacts): string | null =>
  jobs === null
    ? `${server}, which holds its jobs, does not answer at ${serverAt}: start it, or check the connection. No job is lost, jobs are added again once it answers.`
    : null;

/** Jobs that were added before are processed without a leader. */
const missingLeader = ({ hasLeader, areHeartbeatsLate, jobs }: QueueFacts): string | null =>
  hasLeader || areHeartbeatsLate || (jobs !== null && jobs.waiting + jobs.active > 0)
    ? null
    : 'No aggregator is the leader, so no jobs are added: start one, or wait 15 seconds for a standby to take over.';

const geocoderBlock = ({ geocoder }: QueueFacts): string | null => {
  if (!geocoder || !BLOCKED.has(geocoder.activity)) return null;
  return sentence(geocoder.reason ?? 'no call is sent to the geocoder at the moment');
};

const onlyRetries = (facts: QueueFacts): string | null => {
  const { waiting, inWork, waitingForRetry, nextRetryAt, queue, now } = facts;
  if (waitingForRetry === 0 || waiting + inWork > 0) return null;
  const until = nextRetryAt && nextRetryAt > now ? `, the first at ${clock(nextRetryAt, now)}` : '';
  return (
    `All remaining work failed and waits for a retry: ${counted(waitingForRetry, QUEUE_LABELS[queue].job)}${until}. ` +
    `${areAllFailing(facts) ? `${ERROR_IS_LOGGED} ` : ''}An operator can retry it now.`
  );
};

/** Whether jobs failed and none was done. */
export const areAllFailing = ({ doneRecently, failedRecently }: Pick<QueueFacts, 'doneRecently' | 'failedRecently'>) =>
  doneRecently === 0 && failedRecently >= MIN_FAILURES;

const ERROR_IS_LOGGED = 'The log of a worker has the error.';

/** Whether the oldest waiting work is new, or the queue was just resumed. */
function isNew({ oldestWaitingAt, resumedAt, now }: QueueFacts): boolean {
  const since = oldestWaitingAt === null ? now.getTime() : Math.max(oldestWaitingAt.getTime(), Number(resumedAt));
  const ageMs = now.getTime() - since; // below 0: the clock was set back
  return ageMs >= -CLOCK_SLACK_MS && ageMs < MIN_WAIT_MS;
}

function noSuccess(facts: QueueFacts): string | null {
  const { inWork, doneRecently, failedRecently, jobs, workers, queue } = facts;
  if (areAllFailing(facts))
    return `${counted(failedRecently, 'attempt')} failed in the last minutes and none succeeded. ${ERROR_IS_LOGGED}`;
  if (inWork > 0 || doneRecently + failedRecently > 0 || (jobs && jobs.active > 0)) return null;
  if (jobs && jobs.waiting + jobs.active === 0)
    return `A leader is running but no job was added for ${STALLED_MINUTES} minutes: check the log of the aggregator.`;
  return (
    `No job was taken for ${STALLED_MINUTES} minutes, although ${counted(workers, 'worker is', 'workers are')} running and the queue answers: ` +
    `check the log of a worker whose WORKER_QUEUES includes ${queue}.`
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const DAY_MS = 86_400_000;

/** Labels of a queue, of one of its jobs, and of the items in a job. */
export const QUEUE_LABELS = {
  enrich: { name: 'Enrichment', job: 'chunk', items: 'rows' },
  geocode: { name: 'Geocoding', job: 'call', items: 'addresses' },
} as const satisfies Record<QueueName, { readonly name: string; readonly job: string; readonly items: string }>;

/** A time of day, with its date if it is more than half a day from `now`. */
function clock(moment: Date, now: Date): string {
  const text = moment.toISOString();
  const isNear = Math.abs(now.getTime() - moment.getTime()) < DAY_MS / 2;
  return `${isNear ? '' : `${text.slice(0, 10)} `}${text.slice(11, 19)} UTC`;
}

export const sinceText = (moment: Date, now: Date): string => `since ${clock(moment, now)}`;
