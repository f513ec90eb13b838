import { type OpsAction } from '@donorlens/operations';
import { type Command } from 'commander';
import { choiceArgument, wholeNumber, didYouMean } from '../arguments';
import { type Context, examples } from '../program-context';
import { type JsonOption, type ListOptions, type WaitOptions } from './ops';

/** Names of the queues and sources. They are repeated here, so that --help and completion load no lib. */
export const QUEUE_NAMES = ['enrich', 'geocode'] as const;
export const SOURCES = ['reference-data', 'fec', 'filings', 'charts'] as const;

const load = () => import('./ops.js');
const WAIT = 'wait until the request is completed, however long it takes';
const CODES = '\n\nExit codes: 0 completed, 1 failed, 3 no database, 4 recorded but not completed yet.';

export function addOpsCommands(program: Command, context: Context): void {
  addQueues(program, context);
  const ops = program
    .command('ops')
    .description('state of the service, audit log and operator requests')
    .addHelpText('after', examples('bin/donorlens ops status', 'bin/donorlens ops refresh fec'));
  ops
    .command('status')
    .description('show queues, processes, geocoder, batches, data and charts on one screen')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('bin/donorlens ops status', 'bin/donorlens ops status --json'))
    .action(context.run(async (options: JsonOption) => (await load()).status(context, options)));
  addList(ops, context, 'requests', 'list operator requests and their results, newest first', true);
  addList(ops, context, 'audit', 'show the audit log, newest first', false);
  ops
    .command('refresh')
    .description('load a data source now instead of on schedule')
    .addArgument(choiceArgument('<what>', 'data source', SOURCES))
    .option('--wait', WAIT)
    .option('--json', 'the request as JSON')
    .addHelpText('after', examples('bin/donorlens ops refresh fec', 'bin/donorlens ops refresh charts --wait') + CODES)
    .action(
      context.run(async (source: string, options: WaitOptions) =>
        (await load()).submitOperatorRequest(context, 'refresh', { source }, options),
      ),
    );
}

function addQueues(program: Command, context: Context): void {
  const queues = program
    .command('queues')
    .description('show depth, rate and stall reason of each queue')
    .option('--json', 'as JSON')
    .allowExcessArguments()
    .addHelpText('after', examples('bin/donorlens queues', 'bin/donorlens queues pause geocode'))
    .action(
      context.run(async (options: JsonOption, command: Command) => {
        refuseUnknown(command);
        return (await load()).queues(context, options);
      }),
    );
  addQueueAction(queues, context, 'pause', 'pause a queue: workers finish jobs in progress and take no more');
  addQueueAction(queues, context, 'resume', 'resume a queue: workers take jobs again');
  addQueueAction(queues, context, 'redrive', 'retry failed jobs now instead of after their wait');
}

/** Rejects a misspelled subcommand, which a command with an action of its own would take as an argument. */
function refuseUnknown(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const names = command.commands.map((one) => one.name());
  command.error(`error: unknown command '${word}'.${didYouMean(word, names)}`, { code: 'commander.unknownCommand' });
}

function addQueueAction(queues: Command, context: Context, action: OpsAction, description: string): void {
  queues
    .command(action)
    .description(description)
    .addArgument(choiceArgument('<queue>', 'queue', QUEUE_NAMES))
    .option('--wait', WAIT)
    .option('--json', 'the request as JSON')
    .addHelpText('after', examples(`bin/donorlens queues ${action} geocode`) + CODES)
    .action(
      context.run(async (queue: string, _own: object, command: Command) =>
        (await load()).submitOperatorRequest(context, action, { queue }, command.optsWithGlobals<WaitOptions>()),
      ),
    );
}

function addList(ops: Command, context: Context, name: string, description: string, onlyRequests: boolean): void {
  ops
    .command(name)
    .description(description)
    .option('--limit <n>', 'how many entries of the audit log to read', wholeNumber(1, 1000), 50)
    .option('--json', 'as JSON')
    .addHelpText('after', examples(`bin/donorlens ops ${name} --limit 20`))
    .action(context.run(async (options: ListOptions) => (await load()).audit(context, options, onlyRequests)));
}
