import { type QueueStatus, databaseDownMessage, overallStatus } from '@donorlens/operations';
import { z } from 'zod';
import { Problem } from '../http/problem';
import { type OpsSnapshot } from './ops-snapshot';

const moment = z.iso.datetime();

/** The documented members. The JSON also contains the other values of the page. */
export const opsSchema = z.looseObject({
  at: moment.meta({ description: 'Time at which the status was read.' }),
  database_away_since: moment
    .nullable()
    .meta({ description: 'Since when the database has not answered; the other values are then the last known ones.' }),
  database_slow_since: moment.nullable().meta({
    description:
      'Since when the database has been too slow to read the state; the other values are then the last known ones.',
  }),
  queues: z.array(
    z.looseObject({
      queue: z.enum(['enrich', 'geocode']),
      paused_at: moment.nullable(),
      paused_by: z.string().nullable(),
      waiting: z.number(),
      waiting_rows: z.number(),
      in_work: z.number(),
      parked: z.number(),
      oldest_waiting_at: moment.nullable(),
      per_minute: z.record(z.string(), z.number()),
      failed_last_hour: z.number(),
      workers: z.number(),
      standstill: z.string().nullable().meta({ description: 'Reason why the queue is stalled; null if it is not.' }),
    }),
  ),
  processes: z.array(
    z.looseObject({
      clock_difference_seconds: z.number().nullable().meta({
        description: 'Clock of Postgres less that of the process; null: not known yet.',
      }),
    }),
  ),
  oldest_expired_at: moment.nullable().meta({ description: 'Expiry of the oldest batch that is not erased yet.' }),
  leader: z.looseObject({ holder: z.string(), epoch: z.string() }).nullable(),
  violations: z.number().nullable().meta({
    description: 'Batches whose counters differ from their chunks, compared once a minute; null: not known yet.',
  }),
});

/** The content of the page as JSON. @throws Problem 503 if the status has not been read yet */
export function opsJson({ status, issue, entries }: OpsSnapshot, now: Date): object {
  if (status === null)
    throw new Problem(
      'unavailable',
      `The database ${issue?.kind === 'slow' ? 'is too slow' : 'does not answer'}: check ${issue?.at ?? 'DATABASE_URL'}.`,
      {
        headers: { 'retry-after': '5' },
      },
    );
  const { failedLastDay, ...webhooks } = status.webhooks;
  const [awaySince, slowSince] = (['away', 'slow'] as const).map((kind) => (issue?.kind === kind ? issue.since : null));
  const downMessage = issue?.kind === 'away' ? databaseDownMessage(issue, now) : null;
  const queues = status.queues.map((queue) =>
    queueJson(downMessage === null ? queue : { ...queue, stallReason: downMessage }),
  );
  return snakeCased({
    ...status,
    overall: overallStatus(status, issue, now),
    queues,
    webhooks: { ...webhooks, failedLately: failedLastDay },
    databaseAwaySince: awaySince,
    databaseSlowSince: slowSince,
    audit: entries,
  }) as object;
}

/** Keeps the member names of version 0.1 for existing clients. */
const queueJson = ({ isPauseApplied, waitingForRetry, nextRetryAt, stallReason, ...queue }: QueueStatus): object => ({
  ...queue,
  isPauseTold: isPauseApplied,
  parked: waitingForRetry,
  parkedUntil: nextRetryAt,
  standstill: stallReason,
});

/** Property names in snake case, at any depth. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(inner),
    ]),
  );
}
