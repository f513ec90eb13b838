import { readConfig } from '@donorlens/config';
import { migrate as migrateSchema } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { databaseUrlOf } from './database-url';
import { EXIT, type ExitCode } from './exit-code';
import { withKeys } from './keys/open-keys';
import { type Context } from './program-context';

/**
 * Migrates the database to the schema of this release, and creates the key of BOOTSTRAP_KEY if it is set. Roles that
 * are started without `npm start` do not create the key.
 */
export async function migrate(context: Context, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const { queueBackend, bootstrapKey } = readConfig();
  const databaseUrl = databaseUrlOf();
  const { version, applied, warnings } = await migrateSchema(databaseUrl, createLogger('migrate', 'warn'));
  await migrateQueue({ queueBackend, databaseUrl });
  if (bootstrapKey !== undefined) await withKeys(databaseUrl, (keys) => keys.ensureBootstrap(bootstrapKey));
  const done = applied.length > 0 ? `applied ${applied.join(', ')}` : 'already up to date';
  const key = bootstrapKey === undefined ? '' : '; key: the value of BOOTSTRAP_KEY (all scopes, no limits)';
  context.out(json ? JSON.stringify({ version, applied }) : `schema ${version}: ${done}${key}`);
  for (const warning of warnings) context.note(`database: ${warning}`);
  return EXIT.ok;
}
