import { type Command, type CommanderError } from 'commander';
import { SCOPES } from '@donorlens/access-keys';
import { VERSION } from '@donorlens/observability';
import { QUEUES } from '@donorlens/queues';
import { SOURCE_KINDS } from '@donorlens/operations';
import { QUEUE_NAMES, SOURCES } from './ops/ops.commands';
import { exitCodeOf, linesOf } from './exit-code';
import { type Context } from './program-context';
import { buildProgram } from './program';

/** Parses a command line without running the command. Returns the error code, the exit code and the output. */
async function read(line: string): Promise<{ code: string | undefined; exit: number; text: string }> {
  let text = '';
  const write = (piece: string): void => void (text += `${piece}\n`);
  const context: Context = {
    out: write,
    note: write,
    run:
      (work) =>
      (...args) =>
        work(...args).then(() => undefined),
  };
  try {
    await buildProgram(context).parseAsync(line.split(' ').filter(Boolean), { from: 'user' });
    return { code: undefined, exit: 0, text };
  } catch (error) {
    return { code: (error as CommanderError).code, exit: exitCodeOf(error), text: text || linesOf(error).join('\n') };
  }
}

const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];
const lineOf = (command: Command): string =>
  command.parent ? `${lineOf(command.parent)} ${command.name()}`.trim() : '';

it('queues pause passes --wait on, before and after its queue', async () => {
  const options: unknown[] = [];
  const run: Context['run'] =
    () =>
    (...given) =>
      Promise.resolve(void options.push((given.at(-1) as Command).optsWithGlobals()));
  for (const line of ['queues pause enrich --wait', 'queues pause --wait enrich', 'queues pause enrich'])
    await buildProgram({ out: () => undefined, note: () => undefined, run }).parseAsync(line.split(' '), {
      from: 'user',
    });
  expect(options).toEqual([{ wait: true }, { wait: true }, {}]);
});

it('batch submit and preview accept a field without a column, which the service then ignores', async () => {
  const maps: unknown[] = [];
  const run: Context['run'] =
    () =>
    (...given) =>
      Promise.resolve(void maps.push((given.at(-1) as Command).opts().map));
  for (const command of ['submit', 'preview'])
    await buildProgram({ out: () => undefined, note: () => undefined, run }).parseAsync(
      ['batch', command, 'x', '--map', 'surname=', '--map', 'street=Street'],
      { from: 'user' },
    );
  expect(maps).toEqual([
    ['surname=', 'street=Street'],
    ['surname=', 'street=Street'],
  ]);
});

describe('every command', () => {
  const idle: Context = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
  const lines = all(buildProgram(idle)).map(lineOf);

  it.each(lines)('%s is explained by --help, with an example that can be parsed', async (line) => {
    const { code, text } = await read(`${line} --help`);
    expect(code).toBe('commander.helpDisplayed');
    const examples = /Examples:\n((?: {2}\$ .*\n)+)/.exec(text)?.[1] ?? '';
    expect(examples).toContain(`donorlens ${line.split(' ')[0]}`.trim());
  });
});

describe('a mistyped word', () => {
  it.each([
    ['queuez', 'queues'],
    ['batch statsu x', 'status'],
    ['queues pauze', 'pause'],
    ['queues pause enrihc', 'enrich'],
    ['ops refresh charst', 'charts'],
    ['batch submit x --typ age_gender', '--type'],
    ['batch submit x --type age_gendr', 'age_gender'],
    ['doctor --role workr', 'worker'],
    ['completion bahs', 'bash'],
  ])('gets a suggestion: %s', async (line, meant) => {
    const { code, text } = await read(line);
    expect(code).toMatch(/^commander\./);
    expect(text).toMatch(new RegExp(`Did you mean ${meant}\\?`));
  });
});

describe('a usage error', () => {
  it.each([
    ['batch submit', `missing required argument 'file'`],
    ['batch status', `missing required argument 'id'`],
    ['keys revoke', `missing required argument 'key'`],
    ['release activate', `missing required argument 'release'`],
    ['frobnicate', 'unknown command'],
    ['status --frob', 'unknown option'],
    ['batch submit x --type shoe_size', 'Allowed choices'],
    ['batch submit x --map name', 'field=column'],
    ['batch submit x --min-age 101', 'from 0 to 100'],
    ['batch status 123', '"123" is not a batch id'],
    ['keys issue --name x --expires 2001-01-01', 'in the past'],
  ])('is reported in the first line, with exit code 2: %s', async (line, message) => {
    const { exit, text } = await read(line);
    expect(exit).toBe(2);
    expect(text.split('\n')[0]).toContain(message);
  });
});

it('prints its version', async () => {
  expect(await read('--version')).toMatchObject({ code: 'commander.version', text: `${VERSION}\n` });
});

it('offers all queues, sources and scopes', async () => {
  expect(QUEUE_NAMES).toEqual(Object.values(QUEUES));
  expect(SOURCES).toEqual(SOURCE_KINDS);
  const { text } = await read('keys issue --help');
  for (const scope of SCOPES) expect(text).toContain(scope);
});
