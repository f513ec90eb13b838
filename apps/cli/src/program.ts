import { VERSION } from '@donorlens/observability';
import { Command } from 'commander';
import { addBackupCommands } from './backup/backup.commands';
import { addBatchCommands } from './batch/batch.commands';
import { addChartCommands, addImportCommands } from './campaign/campaign.commands';
import { addCompletionCommand } from './completion/completion.command';
import { addDoctorCommand } from './doctor/doctor.command';
import { addEvaluateCommand } from './evaluate/evaluate.command';
import { exitCodesText } from './exit-code';
import { addGeocodeCommands } from './geocode/geocode.commands';
import { addKeyCommands } from './keys/keys.commands';
import { addOpsCommands } from './ops/ops.commands';
import { type Context, examples } from './program-context';
import { addReleaseCommands } from './release/release.commands';
import { addStatusCommand } from './status/status.command';

export function buildProgram(context: Context): Command {
  const program = new Command('donorlens')
    .description('enriches US political contributions with age, gender, ethnicity, county and income')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text.trimEnd()),
      writeErr: (text) => context.note(text.trimEnd()),
    })
    .showHelpAfterError('(add --help for the options and examples)')
    .addHelpText(
      'after',
      `${examples('npm start', 'bin/donorlens batch submit contributions.csv --min-age 18 --wait > enriched.csv')}\n\n${exitCodesText()}`,
    );
  program
    .command('start')
    .description('run everything on this machine: database, queue, api, worker and aggregator')
    .addHelpText(
      'after',
      examples('bin/donorlens start', 'PORT=8080 DONORLENS_HOME=/var/lib/donorlens bin/donorlens start') +
        '\n\nExit codes: 0 stopped, 2 wrong environment, 3 a port, server or data folder is not available.',
    )
    .action(context.run(async () => (await import('./start/start.js')).start()));
  addMigrateCommand(program, context);
  addBackupCommands(program, context);
  addKeyCommands(program, context);
  addReleaseCommands(program, context);
  addImportCommands(program, context);
  addChartCommands(program, context);
  addBatchCommands(program, context);
  addGeocodeCommands(program, context);
  addEvaluateCommand(program, context);
  addOpsCommands(program, context);
  addStatusCommand(program, context);
  addDoctorCommand(program, context);
  addCompletionCommand(program, context);
  return program;
}

const loadMigrate = () => import('./migrate.js');

function addMigrateCommand(program: Command, context: Context): void {
  program
    .command('migrate')
    .description(
      'migrate the database to the schema of this release, and create the key of BOOTSTRAP_KEY if it is set; npm start does both',
    )
    .option('--json', 'as JSON')
    .addHelpText('after', examples('DATABASE_URL=postgres://user@host/donorlens bin/donorlens migrate'))
    .action(context.run(async (options: { json?: boolean }) => (await loadMigrate()).migrate(context, options)));
}
