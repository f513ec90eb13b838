import { type Command } from 'commander';
import { type Context, examples } from '../program-context';

interface JsonOption {
  readonly json?: boolean;
}

const load = () => import('./backup.js');
const loadUpgrade = () => import('./upgrade.js');

export function addBackupCommands(program: Command, context: Context): void {
  program
    .command('backup <file>')
    .description(
      'write all data of the database to a new file, as gzip of SQL, or with - to standard output; the service goes on working',
    )
    .option('--json', 'rows by table as JSON')
    .addHelpText('after', examples('bin/donorlens backup donorlens.sql.gz'))
    .action(context.run(async (file: string, options: JsonOption) => (await load()).backup(context, file, options)));
  program
    .command('restore <file>')
    .description(
      'load a backup, with - from standard input, into an empty database: that of DATABASE_URL, else that of a new DONORLENS_HOME, which must not run',
    )
    .option('--json', 'rows by table as JSON')
    .addHelpText(
      'after',
      examples('DONORLENS_HOME=/srv/restored bin/donorlens restore donorlens.sql.gz', 'bin/donorlens keys confirm'),
    )
    .action(context.run(async (file: string, options: JsonOption) => (await load()).restore(context, file, options)));
  program
    .command('upgrade')
    .description(
      'upgrade the Postgres of DONORLENS_HOME, which must not run, to the major version that npm start prefers; the old data stay under a dated name. For an upgrade of donorlens see "Upgrade" in docs/runbook.md',
    )
    .option('--json', 'rows by table as JSON')
    .addHelpText('after', examples('bin/donorlens upgrade'))
    .action(context.run(async (options: JsonOption) => (await loadUpgrade()).upgrade(context, options)));
}
