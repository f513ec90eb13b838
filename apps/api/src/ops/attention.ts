import { counted } from '@donorlens/primitives';
import {
  type OperationsStatus,
  QUEUE_WORDS,
  type SourceStatus,
  type Trouble,
  databaseAway,
  databaseSlow,
  signsLate,
} from '@donorlens/operations';
import { moment, secondsBetween, span } from './ops-words';

/** Something that an operator should look at, and where on the page. */
export interface Attention {
  readonly words: string;
  readonly section: string;
}

/** What is not as it should be, the gravest first; none where all is well. */
export function attentionFor(status: OperationsStatus, trouble: Trouble | null, now: Date): readonly Attention[] {
  if (trouble?.kind === 'away') return about('queues', [databaseAway(trouble, now)]);
  return [
    ...about('queues', trouble ? [databaseSlow(trouble.since, now)] : []),
    ...about('batches', disagreeing(status)),
    ...about('processes', unled(status)),
    ...about('queues', standing(status)),
    ...about('queues', serverAway(status)),
    ...about('queues', pausedInVain(status)),
    ...about('queues', unattended(status)),
    ...about('processes', missing(status, now)),
    ...about('data', status.sources.flatMap(failing)),
    ...about('messages', untold(status)),
  ];
}

const about = (section: string, all: readonly string[]): Attention[] => all.map((words) => ({ words, section }));

const disagreeing = ({ violations }: OperationsStatus): string[] =>
  violations === null || violations === 0
    ? []
    : [
        `The counters of ${counted(violations, 'batch', 'batches')} do not agree with their chunks. This must not be: keep the logs, and report it.`,
      ];

const unled = ({ leader, lateSince }: OperationsStatus): string[] =>
  leader === null && lateSince === null
    ? ['No aggregator leads: nothing is refreshed, reconciled or done as asked. Start one.']
    : [];

const standing = ({ queues }: OperationsStatus): string[] =>
  queues.flatMap(({ queue, standstill }) =>
    standstill === null ? [] : [`${QUEUE_WORDS[queue].name} stands still. ${standstill}`],
  );

/** Where nothing waits nothing stands still, and it is told all the same. */
const serverAway = ({ queues, queueServer }: OperationsStatus): string[] =>
  queues.some(({ jobs, standstill }) => jobs === null && standstill === null)
    ? [
        `The server that holds the jobs does not answer at ${queueServer}: start it, or mend the way to it. The next batch would wait for it.`,
      ]
    : [];

/** Nothing waits, so nothing stands still: but the next batch would. */
const pausedInVain = ({ queues }: OperationsStatus): string[] =>
  queues.flatMap(({ queue, pausedAt, pausedBy, standstill }) =>
    pausedAt === null || standstill !== null
      ? []
      : [`${QUEUE_WORDS[queue].name} is paused by ${pausedBy ?? 'somebody'} since ${moment(pausedAt)}.`],
  );

/** Here, too, the next batch would. */
const unattended = ({ queues, lateSince }: OperationsStatus): string[] =>
  queues.flatMap(({ queue, workers, standstill }) =>
    workers > 0 || standstill !== null || lateSince !== null
      ? []
      : [
          `No worker takes ${QUEUE_WORDS[queue].job}s from ${queue}: the next batch would stand still. Start one whose WORKER_QUEUES has ${queue}.`,
        ],
  );

/** Who is not heard of; only that, where nobody can be. */
function missing({ processes, leader, lateSince }: OperationsStatus, now: Date): string[] {
  const gone = processes.filter(({ isAlive }) => !isAlive);
  if (lateSince !== null) return gone.length > 0 || leader === null ? [signsLate(lateSince, now)] : [];
  return gone.map(
    ({ role, host, pid, seenAt }) =>
      `The ${role} ${host}:${pid} was last heard of ${span(secondsBetween(seenAt, now))} ago.`,
  );
}

function failing({ label, failingSince, lastOutcome, nextRunAt }: SourceStatus): string[] {
  if (failingSince === null) return [];
  const isTried = lastOutcome === 'running';
  const why = isTried ? '' : `: ${lastOutcome ?? 'failed'}`;
  const next = isTried
    ? 'It is being tried again now.'
    : nextRunAt && `The next try is on schedule, ${moment(nextRunAt)}; or ask for it now.`;
  return [`${label} could not be brought up to date since ${moment(failingSince)}${why}. ${next ?? ''}`.trim()];
}

const untold = ({ webhooks }: OperationsStatus): string[] =>
  webhooks.failedLately === 0
    ? []
    : [`${counted(webhooks.failedLately, 'message')} about an ended batch had to be given up within the last day.`];
