import { ConfigError } from '@donorlens/config';
import { QUEUES } from '@donorlens/queues';

/** @throws ConfigError where WORKER_QUEUES names a queue that has no processor here */
export function checkQueueNames(names: readonly string[]): void {
  const known: readonly string[] = Object.values(QUEUES);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 || names.length === 0)
    throw new ConfigError([`WORKER_QUEUES may name ${known.join(', ')}; not ${unknown.join(', ') || 'nothing'}`]);
}
