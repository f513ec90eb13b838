import { type QueueName } from '@donorlens/queues';

const DAY_MS = 86_400_000;

/** What people call a queue, one of its jobs, and what is in those. */
export const QUEUE_WORDS = {
  enrich: { name: 'Enrichment', job: 'chunk', items: 'rows' },
  geocode: { name: 'Geocoding', job: 'call', items: 'addresses' },
} as const satisfies Record<QueueName, { readonly name: string; readonly job: string; readonly items: string }>;

/** The time of a moment near another one, with its day where that is more than half a day away. */
export function clock(moment: Date, now: Date): string {
  const text = moment.toISOString();
  const isNear = Math.abs(now.getTime() - moment.getTime()) < DAY_MS / 2;
  return `${isNear ? '' : `${text.slice(0, 10)} `}${text.slice(11, 19)} UTC`;
}

export const since = (moment: Date, now: Date): string => `since ${clock(moment, now)}`;
