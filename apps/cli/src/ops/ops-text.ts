import {
  type AuditEntry,
  type OperationsStatus,
  type QueueStatus,
  type SourceStatus,
  alertsFor,
  auditStateLabel,
  flagText,
  heartbeatsLateMessage,
  overallStatus,
  propertyLabel,
  queueState,
} from '@donorlens/operations';
import { counted, grouped } from '@donorlens/primitives';
import { duration } from '../batch/progress';
import { geocoderLine } from '../geocode/geocode-status';
import { table } from '../program-context';

const moment = (at: Date | null): string => at?.toISOString().slice(0, 16).replace('T', ' ') ?? '-';
const ago = (at: Date | null, now: Date): string =>
  at === null ? '-' : duration((now.getTime() - at.getTime()) / 1000);
const pace = (perMinute: number): string => (perMinute >= 10 ? grouped(Math.round(perMinute)) : perMinute.toFixed(1));

const QUEUE_HEAD = [
  'QUEUE',
  'STATE',
  'WAITING',
  'FOR RETRY',
  'ACTIVE',
  'OLDEST',
  '1 MIN',
  '15 MIN',
  '60 MIN',
  'FAILED',
  'WORKERS',
];

/** One line for each queue. Rates are jobs per minute. */
const queueTable = (queues: readonly QueueStatus[], now: Date): string =>
  table(
    QUEUE_HEAD,
    queues.map((queue) => [
      queue.queue,
      queueState(queue),
      grouped(queue.waiting),
      grouped(queue.waitingForRetry),
      grouped(queue.inWork),
      ago(queue.oldestWaitingAt, now),
      ...[queue.perMinute[1], queue.perMinute[15], queue.perMinute[60]].map(pace),
      grouped(queue.failedLastHour),
      String(queue.workers),
    ]),
  );

const resumeHint = ({ queue, pausedAt }: QueueStatus): string[] =>
  pausedAt ? [`${queue}: to resume it, run bin/donorlens queues resume ${queue}`] : [];

/** The queues, and below them the stall reasons. */
export function queuesText(queues: readonly QueueStatus[], now: Date): string {
  const why = queues.flatMap((status) => [
    ...(status.stallReason ? [`${status.queue}: ${status.stallReason}`] : []),
    ...resumeHint(status),
  ]);
  return [queueTable(queues, now), ...(why.length > 0 ? ['', ...why] : [])].join('\n');
}

/** Status of the whole service for one screen. */
export function statusText(status: OperationsStatus): string {
  const { at, queues, processes, leader, geocoder, batches, sources, release, charts, webhooks, violations } = status;
  const noneAlive = status.lateSince ? heartbeatsLateMessage(status.lateSince, at) : 'none is alive';
  const row = (name: string, text: string) => `${name.padEnd(10)} ${text}`;
  const hints = queues.flatMap(resumeHint);
  const alive = processes.filter(({ isAlive }) => isAlive);
  return [
    overallStatus(status, null, at),
    ...alertsFor(status, null, at).map(({ message, runbook }) => `- ${message} See docs/runbook.md#${runbook}`),
    '',
    queueTable(queues, at),
    '',
    ...(hints.length > 0 ? [...hints, ''] : []),
    row('processes', alive.length > 0 ? processesText(alive) : noneAlive),
    row('leader', leader ? leader.holder : 'none: no aggregator is alive, or a standby is about to take over'),
    row('geocoder', geocoderLine(geocoder)),
    row('batches', `${grouped(batches.open)} open; last day: ${batchesText(batches)}`),
    row(
      'release',
      release ? `${release.id} (${release.label}), active since ${moment(release.activeSince)}` : 'none yet',
    ),
    row(
      'charts',
      charts
        ? `version ${charts.versionId} of ${moment(charts.builtAt)}${charts.isBehind ? ', behind the contributions' : ''}`
        : 'none yet',
    ),
    row(
      'webhooks',
      `${grouped(webhooks.pending)} pending, ${grouped(webhooks.delivered)} delivered, ${grouped(webhooks.failed)} failed`,
    ),
    ...(violations !== null && violations > 0
      ? [row('violations', `${counted(violations, 'batch', 'batches')} with inconsistent counters`)]
      : []),
    '',
    sourcesText(sources, at),
  ].join('\n');
}

const batchesText = ({ completed, cancelled, failed }: OperationsStatus['batches']): string =>
  `${grouped(completed)} completed, ${grouped(cancelled)} cancelled, ${grouped(failed)} failed`;

function processesText(processes: OperationsStatus['processes']): string {
  const roles = new Map<string, number>();
  for (const { role } of processes) roles.set(role, (roles.get(role) ?? 0) + 1);
  return [...roles].map(([role, count]) => counted(count, role)).join(', ');
}

const sourcesText = (sources: readonly SourceStatus[], now: Date): string =>
  table(
    ['SOURCE', 'LAST SUCCESS', 'SCHEDULED RUN', 'NEXT RUN', 'RESULT'],
    sources.map(({ kind, lastSuccessAt, lastRunAt, lastOutcome, nextRunAt }) => [
      kind,
      moment(lastSuccessAt),
      moment(lastRunAt),
      nextRunAt !== null && nextRunAt <= now ? 'due now' : moment(nextRunAt),
      lastOutcome ?? 'never run',
    ]),
  );

/** Entries of the audit log with the states of requests, newest first. */
export function auditText(entries: readonly AuditEntry[]): string {
  return table(
    ['AT', 'WHO', 'WHAT', 'ABOUT', 'STATE'],
    entries.map((entry) => [
      entry.at.toISOString().slice(0, 19).replace('T', ' '),
      entry.actor,
      entry.action.replace(/^ops\./, ''),
      wordsOf(entry.detail),
      [auditStateLabel(entry), wordsOf(entry.outcome ?? {})].filter((text) => text !== '').join(': '),
    ]),
  );
}

/** Formats the simple values of a detail in one line, such as `queue enrich, request 7`. */
export const wordsOf = (detail: Readonly<Record<string, unknown>>): string =>
  Object.entries(detail)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => flagText(name, value) ?? `${propertyLabel(name)} ${String(value)}`)
    .join(', ');
