import { readConfig } from '@donorlens/config';
import { type ReleaseRepository } from '@donorlens/reference-data';
import { type Command } from 'commander';
import { type SuppliedFileOptions, suppliedFileOptions } from '../arguments';
import { interruptible, type Context, examples } from '../program-context';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode } from '../exit-code';
import { refreshText, releaseTable } from './release-text';

interface JsonOption {
  readonly json?: boolean;
}
interface RefreshCommandOptions extends JsonOption, SuppliedFileOptions {
  readonly dryRun?: boolean;
  readonly source?: string;
  readonly activate: boolean;
}
const AS_ACTIVE = 'as the active release';

export function addReleaseCommands(program: Command, context: Context): void {
  const [surnames, firstNames] = suppliedFileOptions({ surnames: AS_ACTIVE, firstNames: AS_ACTIVE });
  program
    .command('refresh')
    .description('fetch and check the reference data, and activate the new release')
    .option('--dry-run', 'compare with the active release, store nothing')
    .option(
      '--source <folder-or-url>',
      'official files laid out by publisher (default: DATA_SOURCE, else the publishers)',
    )
    .addOption(surnames)
    .addOption(firstNames)
    .option('--no-activate', 'store the release without activating it')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      examples('bin/donorlens refresh --dry-run', 'bin/donorlens refresh --source /srv/official-files'),
    )
    .action(context.run((options: RefreshCommandOptions) => refreshNow(context, options)));
  const release = program
    .command('release')
    .description('data releases of the reference data')
    .addHelpText('after', examples('bin/donorlens release list'));
  release
    .command('list')
    .description('list data releases, newest first')
    .option('--json', 'as JSON, with checks and provenance')
    .addHelpText('after', examples('bin/donorlens release list'))
    .action(context.run((options: JsonOption) => list(context, options)));
  release
    .command('activate <release>')
    .description('activate a release; takes effect within 5 s')
    .option('--json', 'its id as JSON')
    .addHelpText('after', examples('bin/donorlens release activate 2026-11-20.3fa9c1'))
    .action(context.run((id: string, options: JsonOption) => activate(context, id, options)));
  release
    .command('rollback')
    .description('activate the previous release and withdraw the active one')
    .option('--json', 'its id as JSON')
    .addHelpText('after', examples('bin/donorlens release rollback'))
    .action(context.run((options: JsonOption) => rollback(context, options)));
}

/** Loads the libs only when a command runs, so that --help stays fast. */
async function withReleases<T>(work: (releases: ReleaseRepository) => Promise<T>): Promise<T> {
  const databaseUrl = databaseUrlOf();
  const { withPool } = await import('../with-pool.js');
  const { ReleaseRepository } = await import('@donorlens/reference-data');
  return withPool(databaseUrl, (pool) => work(new ReleaseRepository(pool)));
}

async function refreshNow(context: Context, options: RefreshCommandOptions): Promise<ExitCode> {
  const config = readConfig();
  const databaseUrl = databaseUrlOf();
  const { withPool } = await import('../with-pool.js');
  const data = await import('@donorlens/reference-data');
  const { SourceFileRepository } = await import('@donorlens/downloads');
  return interruptible(
    (signal) =>
      withPool(databaseUrl, async (pool) => {
        const wanted = { ...config, dataSource: options.source ?? config.dataSource };
        const report = await data.refresh({
          source: await data.dataSource(wanted, new SourceFileRepository(pool)),
          repository: new data.ReleaseRepository(pool),
          home: config.home,
          dryRun: options.dryRun,
          activate: options.activate,
          surnames: options.surnames && (Number(options.surnames) as 2010 | 2020),
          firstNames: options.firstNames && options.firstNames === 'race',
          onProgress: context.note,
          signal,
        });
        context.out(options.json ? JSON.stringify(report, null, 2) : refreshText(report));
        return EXIT.ok;
      }),
    context,
  );
}

async function list(context: Context, options: JsonOption): Promise<ExitCode> {
  const releases = await withReleases((repository) => repository.list());
  context.out(options.json ? JSON.stringify(releases, null, 2) : releaseTable(releases));
  return EXIT.ok;
}

async function activate(context: Context, id: string, options: JsonOption): Promise<ExitCode> {
  await withReleases((repository) => repository.activate(id));
  tellActive(context, id, options);
  return EXIT.ok;
}

async function rollback(context: Context, options: JsonOption): Promise<ExitCode> {
  const id = await withReleases((repository) => repository.rollback());
  tellActive(context, id, options);
  return EXIT.ok;
}

function tellActive(context: Context, id: string, options: JsonOption): void {
  if (options.json) context.out(JSON.stringify({ active: id }));
  else context.note(`release ${id} is active`);
}
