import { type GeocoderStatus } from '@donorlens/locations';
import { counted } from '@donorlens/primitives';
import { type QueueName } from '@donorlens/queues';
import { type QueueStatus } from './operations-status';
import { QUEUE_WORDS, clock, since } from './words';

/** What decides whether a queue moves. */
export interface QueueFacts extends Pick<
  QueueStatus,
  | 'pausedAt'
  | 'pausedBy'
  | 'isPauseTold'
  | 'waiting'
  | 'waitingRows'
  | 'inWork'
  | 'parked'
  | 'parkedUntil'
  | 'jobs'
  | 'oldestWaitingAt'
  | 'workers'
> {
  readonly queue: QueueName;
  readonly now: Date;
  /** An aggregator leads. */
  readonly isLed: boolean;
  /** Of the queue of calls; null for the other. */
  readonly geocoder: Pick<GeocoderStatus, 'activity' | 'reason'> | null;
  /** Signs of life are late: nobody is known to be missing. */
  readonly isLate: boolean;
  /** Jobs that ended in the last two minutes. */
  readonly endedLately: number;
  /** What holds the jobs: Redis, or the database. */
  readonly server: 'Redis' | 'The database';
  /** Host and port of it, and the variable that says so. */
  readonly serverAt: string;
}

/** Work that waits for less is on its way: a job is added every second, and lost ones are added again after 15 s. */
const PATIENCE_MS = 30_000;
/** What holds back all addresses, whoever would send them. */
const HELD_BACK: ReadonlySet<GeocoderStatus['activity']> = new Set(['refused', 'open', 'probing', 'paused', 'errors']);

/**
 * Why a queue does not move, in sentences that an operator can act on; null: it moves, or has nothing to do. All that
 * stands in its way is told at once, so that nobody mends one thing to find the next.
 */
export function standstill(facts: QueueFacts): string | null {
  if (!hasWork(facts)) return null;
  const obstacles = [paused(facts), unattended(facts), serverAway(facts), unled(facts), geocoderHolds(facts)];
  const told = obstacles.filter((words) => words !== null);
  if (told.length > 0) return told.join(' ');
  return allParked(facts) ?? unexplained(facts);
}

const hasWork = ({ waiting, waitingRows, parked }: QueueFacts): boolean => waiting + waitingRows + parked > 0;

const paused = ({ pausedAt, pausedBy, isPauseTold, now }: QueueFacts): string | null => {
  if (pausedAt === null) return null;
  const effect = isPauseTold
    ? 'nothing is taken until it is resumed'
    : 'not in force yet, workers take jobs until a leader has told them';
  return `Paused by ${pausedBy ?? 'somebody'} ${since(pausedAt, now)}: ${effect}.`;
};

const unattended = ({ workers, queue, inWork, isLate }: QueueFacts): string | null => {
  if (workers > 0 || isLate) return null;
  const left =
    inWork > 0 ? ` ${counted(inWork, QUEUE_WORDS[queue].job)} in work will be free again within 30 seconds.` : '';
  return `No worker is alive that takes jobs from it: start one whose WORKER_QUEUES has ${queue}.${left}`;
};

const serverAway = ({ jobs, server, serverAt }: QueueFacts): string | null =>
  jobs === null
    ? `${server}, which holds its jobs, does not answer at ${serverAt}: start it, or mend the way to it. Nothing is lost, jobs are added again once it answers.`
    : null;

/** Jobs that were added before are worked off without a leader. */
const unled = ({ isLed, isLate, jobs }: QueueFacts): string | null =>
  isLed || isLate || (jobs !== null && jobs.waiting + jobs.active > 0)
    ? null
    : 'No aggregator leads, so nobody adds jobs for what waits: start one, or wait 15 seconds for another to take over.';

const geocoderHolds = ({ geocoder }: QueueFacts): string | null => {
  if (!geocoder || !HELD_BACK.has(geocoder.activity)) return null;
  return sentence(geocoder.reason ?? 'the geocoder is not asked at the moment');
};

const allParked = ({ waiting, inWork, parked, parkedUntil, queue, now }: QueueFacts): string | null => {
  if (parked === 0 || waiting + inWork > 0) return null;
  const until = parkedUntil && parkedUntil > now ? ` the first until ${clock(parkedUntil, now)},` : '';
  return (
    `All that is left, ${counted(parked, QUEUE_WORDS[queue].job)}, failed and waits for its next try,${until} ` +
    'or until it is driven again.'
  );
};

const unexplained = ({
  inWork,
  endedLately,
  isLate,
  jobs,
  oldestWaitingAt,
  workers,
  queue,
  now,
}: QueueFacts): string | null => {
  const isNew = oldestWaitingAt === null || now.getTime() - oldestWaitingAt.getTime() < PATIENCE_MS;
  if (isLate || inWork > 0 || endedLately > 0 || (jobs && jobs.active > 0) || isNew) return null;
  return (
    `Nothing was taken for two minutes, although ${counted(workers, 'worker is', 'workers are')} alive and the queue answers: ` +
    `look into the log of a worker that has ${queue} among its WORKER_QUEUES.`
  );
};

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
