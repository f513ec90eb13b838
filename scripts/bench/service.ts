import { dataFolder } from '../../test/support/bench-data/donors';
import { KEY } from '../../test/support/installation';
import { Service } from '../../test/support/service/service';
import { BatchClient } from '../resilience/support/batch-client';

/** Starts donorlens like `npm start`, with its own home, which is deleted at the end. */
export async function startService(env: NodeJS.ProcessEnv) {
  // The benchmarks start imports themselves.
  const fixed = { BOOTSTRAP_KEY: KEY, DATA_SOURCE: dataFolder, FEC_IMPORT_AT: 'off', LOG_LEVEL: 'error' };
  const service = await Service.start({ ...env, ...fixed });
  const { url, home } = service;
  const stop = async (): Promise<void> => void (await service.stop());
  return { url, home, ...service.run(), client: new BatchClient([url], Math.random), stop };
}

export type RunningService = Awaited<ReturnType<typeof startService>>;
