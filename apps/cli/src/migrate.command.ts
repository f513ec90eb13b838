import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { type Command } from 'commander';
import { databaseUrlOf } from './database-url';
import { EXIT } from './exit-code';
import { type Context, examples } from './program-context';

export function addMigrateCommand(program: Command, context: Context): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this release; npm start does it by itself')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('DATABASE_URL=postgres://user@host/donorlens bin/donorlens migrate'))
    .action(
      context.run(async (options: { json?: boolean }) => {
        const { migrate } = await import('@donorlens/database');
        const { migrateQueue } = await import('@donorlens/queues');
        const databaseUrl = databaseUrlOf();
        const { version, applied } = await migrate(databaseUrl, createLogger('migrate', 'warn'));
        await migrateQueue({ queueBackend: readConfig().queueBackend, databaseUrl });
        const done = applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do';
        context.out(options.json ? JSON.stringify({ version, applied }) : `schema ${version}: ${done}`);
        return EXIT.ok;
      }),
    );
}
