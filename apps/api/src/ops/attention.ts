import { type OperationsStatus, type Trouble, databaseAway, databaseSlow } from '@donorlens/operations';
import { counted, moment, secondsBetween, span } from './ops-words';

/** Something that an operator should look at, and where on the page. */
export interface Attention {
  readonly words: string;
  readonly section: string;
}

export const QUEUE_NAMES = { enrich: 'Enrichment', geocode: 'Geocoding' } as const;

/** What is not as it should be, the gravest first; none where all is well. */
export function attentionFor(status: OperationsStatus, trouble: Trouble | null, now: Date): readonly Attention[] {
  if (trouble?.kind === 'away') return [{ words: databaseAway(trouble.since, now), section: 'queues' }];
  return [
    ...(trouble ? [{ words: databaseSlow(trouble.since, now), section: 'queues' }] : []),
    ...broken(status),
    ...status.queues.flatMap(({ queue, standstill }) =>
      standstill === null ? [] : [{ words: `${QUEUE_NAMES[queue]} stands still. ${standstill}`, section: 'queues' }],
    ),
    ...pausedInVain(status),
    ...unanswered(status, now),
    ...untold(status),
  ];
}

function broken({ violations, leader }: OperationsStatus): Attention[] {
  return [
    ...(violations !== null && violations > 0
      ? [
          {
            words: `The counters of ${counted(violations, 'batch', 'batches')} do not agree with their chunks. This must not be: keep the logs, and report it.`,
            section: 'batches',
          },
        ]
      : []),
    ...(leader === null
      ? [
          {
            words: 'No aggregator leads: nothing is refreshed, reconciled or done as asked. Start one.',
            section: 'processes',
          },
        ]
      : []),
  ];
}

/** Nothing waits, so nothing stands still: but the next batch would. */
const pausedInVain = ({ queues }: OperationsStatus): Attention[] =>
  queues.flatMap(({ queue, pausedAt, pausedBy, standstill }) =>
    pausedAt === null || standstill !== null
      ? []
      : [
          {
            words: `${QUEUE_NAMES[queue]} is paused by ${pausedBy ?? 'somebody'} since ${moment(pausedAt)}.`,
            section: 'queues',
          },
        ],
  );

const unanswered = ({ processes }: OperationsStatus, now: Date): Attention[] =>
  processes
    .filter(({ isAlive }) => !isAlive)
    .map(({ role, host, pid, seenAt }) => ({
      words: `The ${role} ${host}:${pid} was last heard of ${span(secondsBetween(seenAt, now))} ago.`,
      section: 'processes',
    }));

const untold = ({ webhooks }: OperationsStatus): Attention[] =>
  webhooks.failedLately === 0
    ? []
    : [
        {
          words: `${counted(webhooks.failedLately, 'message')} about an ended batch had to be given up within the last day.`,
          section: 'messages',
        },
      ];
