import { readConfig } from '@donorlens/config';
import { AddressKeys, claimSecret } from '@donorlens/locations';
import { webhookSecret } from '@donorlens/webhooks';
import { databaseUrlOf } from '../database-url';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-code';
import { storedAddressSecret, Home } from '../home/home';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { withKeys } from './open-keys';

/** @throws AddressSecretError, exit code 2, if the service signs with another secret */
export async function showWebhookSecret(
  context: Context,
  name: string,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const databaseUrl = databaseUrlOf();
  const keyId = await idOf(databaseUrl, name.trim());
  const config = readConfig();
  const addressSecret = config.addressSecret ?? storedAddressSecret(new Home(config.home));
  if (addressSecret === null)
    throw usageError('set ADDRESS_SECRET to the value of the service: webhook secrets are derived from it');
  await withPool(databaseUrl, (pool) => claimSecret(pool, AddressKeys.fromConfig({ ...config, addressSecret })));
  const secret = webhookSecret(addressSecret, keyId);
  context.out(json ? JSON.stringify({ key: keyId, secret }) : secret);
  return EXIT.ok;
}

async function idOf(databaseUrl: string, name: string): Promise<string> {
  const keys = await withKeys(databaseUrl, (repository) => repository.list());
  const found = keys.find(({ id, prefix }) => id === name || prefix === name || prefix === `dl_${name}`);
  if (found) return found.id;
  throw new CliError('no API key has this id or prefix: list the keys with bin/donorlens keys list');
}
