import { INSTALLATION_MESSAGES } from '@donorlens/database';
import { type GeocoderStatus } from '@donorlens/locations';
import { counted } from '@donorlens/primitives';
import { type OperationsStatus, type QueueStatus, type SourceStatus } from './operations-status';
import { type DatabaseIssue, databaseDownMessage, databaseSlowMessage, heartbeatsLateMessage } from './service-health';
import { QUEUE_LABELS, areAllFailing, pauserText } from './stall-reason';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** A duration with one or two units: `12 s`, `3 min`, `2 h 5 min`, `4 d`. */
export function formatDuration(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds >= 2 * DAY) return `${Math.floor(seconds / DAY)} d`;
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  return `${Math.floor(seconds / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
}

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;

/** `2026-11-21 09:31:25 UTC`. */
export const formatUtcTime = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** State of a queue, in the word of every page and command. */
export function queueState(
  queue: Pick<
    QueueStatus,
    'pausedAt' | 'stallReason' | 'inWork' | 'waiting' | 'waitingRows' | 'waitingForRetry' | 'perMinute'
  >,
  issue: DatabaseIssue | null = null,
): 'stopped' | 'paused' | 'idle' | 'running' | 'starting' {
  if (issue?.kind === 'away') return 'stopped';
  if (queue.pausedAt) return 'paused';
  if (queue.stallReason !== null) return 'stopped';
  if (queue.waiting + queue.waitingRows + queue.waitingForRetry + queue.inWork === 0) return 'idle';
  return queue.inWork > 0 || queue.perMinute[1] > 0 ? 'running' : 'starting';
}

/** The whole service in one line: `2 alerts. Enrichment stopped, geocoding idle.` */
export function overallStatus(status: OperationsStatus, issue: DatabaseIssue | null, now: Date): string {
  const { length } = alertsFor(status, issue, now);
  const queues = status.queues.map((queue, at) => {
    const { name } = QUEUE_LABELS[queue.queue];
    return `${at === 0 ? name : name.toLowerCase()} ${queueState(queue, issue)}`;
  });
  const head = length === 0 ? 'All systems operational' : counted(length, 'alert');
  return `${head}. ${queues.join(', ')}.`;
}

/** A problem that an operator should act on, with the section of the page that shows it. */
export interface Alert {
  readonly message: string;
  readonly section: string;
  /** Section of the runbook that says what to do. */
  readonly runbook: string;
}

/** The current problems, most severe first; empty if all systems are operational. */
export function alertsFor(status: OperationsStatus, issue: DatabaseIssue | null, now: Date): readonly Alert[] {
  if (issue?.kind === 'away') return alerts('queues', 'donorlensdatabasedown', [databaseDownMessage(issue, now)]);
  const unconfirmed = status.isRestored ? 'restored' : status.isNewTimeline ? 'new-timeline' : null;
  return [
    ...alerts('queues', 'donorlensdatabaseslow', issue ? [databaseSlowMessage(issue.since, now)] : []),
    ...alerts('processes', 'backup-and-restore', unconfirmed ? [`${INSTALLATION_MESSAGES[unconfirmed]}.`] : []),
    ...alerts('batches', 'donorlensinvariantviolated', counterMismatches(status)),
    ...alerts('processes', 'donorlensnoleader', missingLeader(status)),
    ...alerts('processes', 'donorlensclocksdiffer', differingClocks(status)),
    ...alerts('processes', 'donorlenserasurewaits', lateErasure(status, now)),
    ...status.queues.flatMap((queue) => stalledQueue(queue, status)),
    ...alerts('queues', 'donorlensqueueserverdown', missingQueueServer(status)),
    ...alerts('queues', 'donorlensqueuepausedlong', pausedQueues(status)),
    ...alerts('queues', 'donorlensnoworkers', queuesWithoutWorker(status)),
    ...alerts('processes', 'donorlensnoworkers', missingProcesses(status, now)),
    ...alerts('data', 'donorlensrefreshfailing', status.sources.flatMap(failedSource)),
    ...alerts('messages', 'donorlenswebhooksfailing', failedWebhooks(status)),
  ];
}

const alerts = (section: string, runbook: string, messages: readonly string[]): Alert[] =>
  messages.map((message) => ({ message, section, runbook }));

const counterMismatches = ({ violations }: OperationsStatus): string[] =>
  violations === null || violations === 0
    ? []
    : [
        `The counters of ${counted(violations, 'batch', 'batches')} do not agree with their chunks. This is a defect: keep the logs and report it.`,
      ];

const missingLeader = ({ leader, lateSince }: OperationsStatus): string[] =>
  leader === null && lateSince === null
    ? ['No aggregator is the leader: refreshes, reconciliation and operator requests are stopped. Start an aggregator.']
    : [];

/** Clocks that NTP synchronizes differ by less. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 2;
/** Erasure normally ends sooner after the expiry. */
const MAX_ERASURE_OVERDUE_SECONDS = 600;

const differingClocks = ({ processes }: OperationsStatus): string[] =>
  processes.flatMap(({ isAlive, role, host, pid, clockDifferenceSeconds: seconds }) =>
    isAlive && seconds !== null && Math.abs(seconds) > MAX_CLOCK_DIFFERENCE_SECONDS
      ? [
          `The clock of Postgres is ${formatDuration(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} that of the ${role} ${host}:${pid}. Synchronize both hosts with NTP.`,
        ]
      : [],
  );

function lateErasure({ oldestExpiredAt }: OperationsStatus, now: Date): string[] {
  const overdue = oldestExpiredAt === null ? 0 : secondsBetween(oldestExpiredAt, now);
  if (overdue <= MAX_ERASURE_OVERDUE_SECONDS) return [];
  return [
    `Results that expired ${formatDuration(overdue)} ago are not erased: the clock of Postgres has jumped forward, or no leader ran. Correct a wrong clock within an hour.`,
  ];
}

function stalledQueue(queue: QueueStatus, status: OperationsStatus): readonly Alert[] {
  if (queue.stallReason === null) return [];
  const { name } = QUEUE_LABELS[queue.queue];
  return alerts('queues', stallSection(queue, status), [`${name} has stopped. ${queue.stallReason}`]);
}

/** Section of the runbook about the obstacle that the stall reason names first. */
function stallSection(status: QueueStatus, { lateSince, leader, geocoder }: OperationsStatus) {
  const { queue, pausedAt, workers, jobs } = status;
  if (pausedAt !== null) return 'donorlensqueuepausedlong';
  if (workers === 0 && lateSince === null) return 'donorlensnoworkers';
  if (jobs === null) return 'donorlensqueueserverdown';
  if (leader === null && lateSince === null && jobs.waiting + jobs.active === 0) return 'donorlensnoleader';
  const geocoderSection = queue === 'geocode' && GEOCODER_SECTIONS[geocoder.activity];
  return geocoderSection || (areAllFailing(status) ? 'donorlensjobsfailing' : 'donorlensqueuestandsstill');
}

const GEOCODER_SECTIONS: Readonly<Partial<Record<GeocoderStatus['activity'], string>>> = {
  refused: 'donorlensgeocoderrefused',
  open: 'donorlenscircuitopen',
  probing: 'donorlenscircuitopen',
  paused: 'geocoding',
  errors: 'geocoding',
};

export const missingQueueServerMessage = (server: string): string =>
  `The queue server does not answer at ${server}: start it, or check the connection.`;

/** An empty queue is not stalled, but the next batch would be. */
const missingQueueServer = ({ queues, queueServer }: OperationsStatus): string[] =>
  queues.some(({ jobs, stallReason }) => jobs === null && stallReason === null)
    ? [`${missingQueueServerMessage(queueServer)} The next batch would wait for it.`]
    : [];

/** A paused queue without jobs is not stalled, but the next batch would be. */
const pausedQueues = ({ queues }: OperationsStatus): string[] =>
  queues.flatMap(({ queue, pausedAt, pausedBy, stallReason }) =>
    pausedAt === null || stallReason !== null
      ? []
      : [`${QUEUE_LABELS[queue].name} is paused by ${pauserText(pausedBy)} since ${formatUtcTime(pausedAt)}.`],
  );

/** A queue without jobs is not stalled, but the next batch would be. */
const queuesWithoutWorker = ({ queues, lateSince }: OperationsStatus): string[] =>
  queues.flatMap(({ queue, workers, stallReason }) =>
    workers > 0 || stallReason !== null || lateSince !== null
      ? []
      : [
          `No worker processes ${QUEUE_LABELS[queue].job}s of the queue ${queue}. Start a worker whose WORKER_QUEUES includes ${queue}.`,
        ],
  );

/** Processes without heartbeats; one message if all heartbeats are late. */
function missingProcesses({ processes, leader, lateSince }: OperationsStatus, now: Date): string[] {
  const missing = processes.filter(({ isAlive }) => !isAlive);
  if (lateSince !== null) return missing.length > 0 || leader === null ? [heartbeatsLateMessage(lateSince, now)] : [];
  return missing.map(
    ({ role, host, pid, seenAt }) =>
      `The ${role} ${host}:${pid} sent its last heartbeat ${formatDuration(secondsBetween(seenAt, now))} ago.`,
  );
}

function failedSource({ label, failingSince, lastOutcome, nextRunAt }: SourceStatus): string[] {
  if (failingSince === null) return [];
  const isRunning = lastOutcome === 'running';
  const reason = isRunning ? '' : `: ${lastOutcome ?? 'failed'}`;
  const next = isRunning
    ? 'A retry is running.'
    : nextRunAt && `The next scheduled try is at ${formatUtcTime(nextRunAt)}; or refresh it now.`;
  return [`${label}: refresh failing since ${formatUtcTime(failingSince)}${reason}. ${next ?? ''}`.trim()];
}

const failedWebhooks = ({ webhooks }: OperationsStatus): string[] =>
  webhooks.failedLastDay === 0
    ? []
    : [`${counted(webhooks.failedLastDay, 'webhook')} failed permanently in the last day.`];
