import { type Config, readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { OperationsReader, OpsRequests } from '@donorlens/operations';
import { openProducers } from '@donorlens/queues';
import { databaseUrlOf } from '../database-url';
import { readRunInfo } from '../home/run-file';
import { clientContext } from '../program-context';
import { withPool } from '../with-pool';

/** Opens what operators ask of a service, for one piece of work. */
export const withRequests = <T>(work: (requests: OpsRequests) => Promise<T>): Promise<T> =>
  withPool(databaseUrlOf(), (pool) => work(new OpsRequests(pool)));

/** Opens the state of a service. Its queue is asked too, and may be away. */
export async function withReader<T>(work: (reader: OperationsReader) => Promise<T>): Promise<T> {
  const config = serviceConfig();
  const producers = await openProducers(config, createLogger('cli', 'silent'));
  try {
    return await withPool(databaseUrlOf(), (pool) => work(new OperationsReader(pool, config, producers)));
  } finally {
    await producers.close();
  }
}

/** What the environment says, else what the running start has chosen. */
function serviceConfig(): Config {
  const config = readConfig();
  const run = readRunInfo(clientContext().home);
  const isOwn = config.databaseUrl === undefined && run !== null;
  return {
    ...config,
    databaseUrl: databaseUrlOf(),
    redisUrl: config.redisUrl ?? (isOwn ? (run.redisUrl ?? undefined) : undefined),
    queueBackend: isOwn && !config.queueBackendForced ? run.queue : config.queueBackend,
  };
}
