import { ConfigError } from '@donorlens/config';
import { QUEUES, type QueueName } from '@donorlens/queues';

/** The queues that WORKER_QUEUES names, each once. @throws ConfigError where one of them has no processor here */
export function queueNames(names: readonly string[]): readonly QueueName[] {
  const known = Object.values(QUEUES);
  const unknown = names.filter((name) => !known.some((queue) => queue === name));
  if (unknown.length > 0 || names.length === 0)
    throw new ConfigError([`WORKER_QUEUES may name ${known.join(', ')}; not ${unknown.join(', ') || 'nothing'}`]);
  return known.filter((queue) => names.includes(queue));
}
