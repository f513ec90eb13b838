import { readConfig } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { AddressKeys, claimSecret, readGeocoderStatus } from '@donorlens/locations';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { type Pool } from 'pg';
import { interruptible } from '../batch/interruptible';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode } from '../exit-code';
import { keptSecret } from '../home/address-secret';
import { Home } from '../home/home';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { type AskedAgain, askAgain, wouldAskAgain } from './ask-again';
import { type RetryOptions } from './retry-options';
import { retryText } from './retry-text';

export async function retry(context: Context, { outcome, dryRun = false, json }: RetryOptions): Promise<ExitCode> {
  const config = readConfig();
  return withPool(databaseUrlOf(), (pool) =>
    interruptible(async (signal) => {
      const counts = await (outcome === 'ERROR'
        ? retryErrors(pool, config.geocoder, dryRun)
        : dryRun
          ? wouldAskAgain(pool, outcome)
          : askForKept(pool, outcome, config, signal));
      context.out(json ? JSON.stringify({ ...counts, dryRun }) : retryText(counts, dryRun).join('\n'));
      return EXIT.ok;
    }, context),
  );
}

type Settings = ReturnType<typeof readConfig>;

async function retryErrors(pool: Pool, geocoder: Settings['geocoder'], dryRun: boolean): Promise<AskedAgain> {
  const asked = dryRun
    ? (await readGeocoderStatus(pool, geocoder)).errors
    : await new CallRepository(pool, geocoder).retryErrors();
  return { outcome: 'ERROR', asked, asking: 0, later: 0, other: 0 };
}

/** @throws AddressSecretError, exit code 2, where rows here were hashed with another secret */
async function askForKept(
  pool: Pool,
  outcome: GeocodeOutcome,
  config: Settings,
  signal: AbortSignal,
): Promise<AskedAgain> {
  const addressSecret = config.addressSecret ?? keptSecret(new Home(config.home)) ?? undefined;
  const keys = AddressKeys.of({ ...config, addressSecret });
  await claimSecret(pool, keys);
  return askAgain(pool, outcome, keys, signal);
}
