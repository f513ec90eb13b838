import { type Config } from '@donorlens/config';
import { type Logger } from '@donorlens/observability';
import { BoundedQueue } from './bounded';
import { CallProducer } from './call-producer';
import { queueOptions } from './connections';
import { QueueProducer } from './queue-producer';
import { QUEUES } from './queues';

export interface QueueProducers {
  readonly enrich: QueueProducer;
  readonly geocode: CallProducer;
  close(): Promise<void>;
}

/** The queues of a process without modules: a command. A first answer takes until they are connected. */
export async function openProducers(config: Config, logger: Logger): Promise<QueueProducers> {
  const options = queueOptions(config);
  const [enrich, geocode] = [new BoundedQueue(QUEUES.enrich, options), new BoundedQueue(QUEUES.geocode, options)];
  const producers = { enrich: new QueueProducer(enrich, logger), geocode: new CallProducer(geocode, logger) };
  await Promise.all([producers.enrich.opened(), producers.geocode.opened()]);
  return { ...producers, close: async () => void (await Promise.all([enrich.close(), geocode.close()])) };
}
