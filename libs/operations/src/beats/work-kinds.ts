import { type QueueName } from '@donorlens/queues';

/** What `work_total` calls the jobs of a queue, and what is in them. */
export const WORK_KINDS: { readonly [queue in QueueName]: { readonly jobs: string; readonly items: string } } = {
  enrich: { jobs: 'chunks', items: 'rows' },
  geocode: { jobs: 'calls', items: 'addresses' },
};
