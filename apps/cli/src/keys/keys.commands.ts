import { type KeyRecord, type KeyRepository, type KeyRequest } from '@donorlens/access-keys';
import { counted } from '@donorlens/primitives';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber, didYouMean } from '../arguments';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { readRunInfo } from '../home/home';
import { type Context, clientContext, examples, table } from '../program-context';

interface IssueOptions {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires?: Date;
  readonly requestsPerMinute?: number;
  readonly rowsPerDay?: number;
  readonly unlimited?: boolean;
  readonly json?: boolean;
}

interface JsonOption {
  readonly json?: boolean;
}

/** Loads TypeORM only when a command runs, because loading it is slow. */
async function withKeys<T>(work: (keys: KeyRepository) => Promise<T>): Promise<T> {
  const databaseUrl = databaseUrlOf();
  return (await import('./open-keys.js')).withKeys(databaseUrl, work);
}

const DEFAULT_SCOPES = ['enrich:read', 'enrich:batch', 'charts:read'];

export function addKeyCommands(program: Command, context: Context): void {
  const keys = program
    .command('keys')
    .description('API keys')
    .addHelpText('after', examples('bin/donorlens keys issue --name newsroom', 'bin/donorlens keys list'));
  addIssueCommand(keys, context);
  keys
    .command('list')
    .description('list API keys, newest first, without their secrets')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('bin/donorlens keys list', 'bin/donorlens keys list --json'))
    .action(context.run((options: { json?: boolean }) => list(context, options)));
  keys
    .command('revoke <key>')
    .description('revoke a key by id or prefix; takes effect within 5 s')
    .option('--json', 'its prefix as JSON')
    .addHelpText('after', examples('bin/donorlens keys revoke dl_8Hk2mPq0'))
    .action(context.run((name: string, options: JsonOption) => revoke(context, name, options)));
  keys
    .command('rotate <key>')
    .description('replace the secret of a key; batches, quota and limits stay')
    .option('--grace <seconds>', 'seconds for which the old secret stays valid', wholeNumber(0, 30 * 86_400), 0)
    .option('--json', 'id, key and prefix as JSON')
    .addHelpText('after', examples('bin/donorlens keys rotate dl_8Hk2mPq0 --grace 3600'))
    .action(context.run((name: string, options: { grace: number; json?: boolean }) => rotate(context, name, options)));
  keys
    .command('confirm')
    .description('make the keys of a restored database valid; revoke those first that should not be')
    .option('--json', 'the number of keys as JSON')
    .addHelpText('after', examples('bin/donorlens keys list', 'bin/donorlens keys confirm'))
    .action(context.run((options: JsonOption) => confirm(context, options)));
  keys
    .command('webhook-secret <key>')
    .description('show the secret that signs the webhooks of a key; it stays the same for the life of the key')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('bin/donorlens keys webhook-secret dl_8Hk2mPq0'))
    .action(
      context.run(async (name: string, options: JsonOption) =>
        (await import('./show-webhook-secret.js')).showWebhookSecret(context, name, options),
      ),
    );
}

function addIssueCommand(keys: Command, context: Context): void {
  keys
    .command('issue')
    .description('issue an API key and print it; it is shown only once')
    .requiredOption('--name <name>', 'name of the client')
    .option(
      '--scopes <scopes>',
      'comma-separated list of enrich:read, enrich:batch, charts:read, charts:rows, ops',
      scopesIn,
      DEFAULT_SCOPES,
    )
    .option('--expires <date>', 'expiry day or time, as 2027-01-31 or 2027-01-31T12:00:00Z', momentIn)
    .option('--requests-per-minute <n>', 'default 600', wholeNumber(1, 1e9))
    .option('--rows-per-day <n>', 'batch rows per day, default 5,000,000', wholeNumber(1, 1e12))
    .addOption(new Option('--unlimited', 'no limits').conflicts(['requestsPerMinute', 'rowsPerDay']))
    .option('--json', 'id, key and prefix as JSON')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens keys issue --name newsroom',
        'bin/donorlens keys issue --name etl --scopes enrich:batch --expires 2027-01-31',
      ),
    )
    .action(context.run((options: IssueOptions) => issue(context, options)));
}

const scopesIn = (text: string): string[] => text.split(',').map((scope) => scope.trim());

function momentIn(text: string): Date {
  const moment = /^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) ? new Date(text) : new Date(NaN);
  if (Number.isNaN(moment.getTime())) throw new InvalidArgumentError('It must look like 2027-01-31.');
  if (moment.getTime() <= Date.now()) throw new InvalidArgumentError('It is in the past.');
  return moment;
}

async function issue(context: Context, options: IssueOptions): Promise<ExitCode> {
  const limit = (value: number | undefined) => (options.unlimited ? null : value);
  const request: KeyRequest = {
    name: options.name,
    scopes: options.scopes,
    expiresAt: options.expires ?? null,
    requestsPerMinute: limit(options.requestsPerMinute),
    batchRowsPerDay: limit(options.rowsPerDay),
  };
  const { SCOPES } = await import('@donorlens/access-keys');
  const wrong = options.scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (wrong.length > 0)
    throw usageError(`no scope ${wrong.join(', ')}: scopes are ${SCOPES.join(', ')}.${didYouMean(wrong[0], SCOPES)}`);
  const issued = await withKeys((keys) => keys.issue(request));
  context.out(options.json ? JSON.stringify(issued) : issued.key);
  if (!options.json)
    context.note(`prefix ${issued.prefix}, scopes ${options.scopes.join(',')}; the key is shown only once`);
  return EXIT.ok;
}

async function list(context: Context, options: { json?: boolean }): Promise<ExitCode> {
  const [records, state] = await withKeys(async (keys) => [await keys.list(), await keys.installationState()]);
  const isUnconfirmed = state === 'restored' || (state === 'new-timeline' && (await confirmsTimeline()));
  context.out(
    options.json
      ? JSON.stringify(records, null, 2)
      : table(
          HEAD,
          records.map((record) => rowOf(record, new Date(), isUnconfirmed)),
        ),
  );
  if (state !== 'confirmed') context.note((await import('@donorlens/database')).INSTALLATION_MESSAGES[state]);
  return EXIT.ok;
}

/** CONFIRM_NEW_TIMELINE of the running `npm start`, or else of this environment. */
async function confirmsTimeline(): Promise<boolean> {
  const run = readRunInfo(clientContext().home);
  return run?.confirmsTimeline ?? (await import('@donorlens/config')).readConfig().confirmNewTimeline;
}

const HEAD = ['PREFIX', 'NAME', 'STATE', 'SCOPES', 'REQUESTS/MIN', 'ROWS/DAY', 'LAST USED', 'ID'];

function rowOf(record: KeyRecord, now: Date, isUnconfirmed: boolean): string[] {
  const limit = (value: number | null) => (value === null ? 'no limit' : value.toLocaleString('en-US'));
  const expired = record.expiresAt !== null && record.expiresAt <= now;
  const until = record.expiresAt ? `until ${record.expiresAt.toISOString().slice(0, 10)}` : 'valid';
  return [
    record.prefix,
    record.name,
    record.revokedAt ? 'revoked' : expired ? 'expired' : isUnconfirmed ? 'unconfirmed' : until,
    record.scopes.join(','),
    limit(record.requestsPerMinute),
    limit(record.batchRowsPerDay),
    record.lastUsedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never',
    record.id,
  ];
}

async function confirm(context: Context, options: JsonOption): Promise<ExitCode> {
  const valid = await withKeys(async (keys) => {
    await keys.confirm();
    return keys.count();
  });
  context.out(options.json ? JSON.stringify({ valid }) : `${counted(valid, 'key is', 'keys are')} valid within 5 s`);
  return EXIT.ok;
}

async function revoke(context: Context, name: string, options: JsonOption): Promise<ExitCode> {
  const { prefix } = await withKeys((keys) => keys.revoke(name));
  if (options.json) context.out(JSON.stringify({ prefix, state: 'revoked' }));
  else context.note(`${prefix} is revoked`);
  return EXIT.ok;
}

async function rotate(context: Context, name: string, options: { grace: number; json?: boolean }): Promise<ExitCode> {
  const issued = await withKeys((keys) => keys.rotate(name, { graceSeconds: options.grace }));
  context.out(options.json ? JSON.stringify(issued) : issued.key);
  return EXIT.ok;
}
