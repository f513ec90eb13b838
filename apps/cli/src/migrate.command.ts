import { readConfig } from '@donorlens/config';
import { migrate } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { type Command } from 'commander';
import { databaseUrlOf } from './database-url';
import { EXIT } from './exit-code';
import { type Context, examples } from './program-context';

export function addMigrateCommand(program: Command, context: Context): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this release; npm start does it by itself')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('DATABASE_URL=postgres://user@host/donorlens donorlens migrate'))
    .action(
      context.run(async (options: { json?: boolean }) => {
        const databaseUrl = databaseUrlOf();
        const { version, applied } = await migrate(databaseUrl, createLogger('migrate', 'warn'));
        await migrateQueue({ queueBackend: readConfig().queueBackend, databaseUrl });
        const done = applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do';
        context.out(options.json ? JSON.stringify({ version, applied }) : `schema ${version}: ${done}`);
        return EXIT.ok;
      }),
    );
}
