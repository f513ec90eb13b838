import { type Command, type CommanderError } from 'commander';
import { SCOPES } from '@donorlens/access-keys';
import { QUEUES } from '@donorlens/queues';
import { REFRESHED } from '@donorlens/operations';
import { QUEUE_NAMES, SOURCES } from './ops/ops.commands';
import { type Context } from './program-context';
import { buildProgram } from './program';

/** A command line that is read, and nothing of it run; what it wrote. */
async function read(line: string): Promise<{ code: string | undefined; text: string }> {
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
    return { code: undefined, text };
  } catch (error) {
    return { code: (error as CommanderError).code, text };
  }
}

const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];
const lineOf = (command: Command): string =>
  command.parent ? `${lineOf(command.parent)} ${command.name()}`.trim() : '';

describe('every command', () => {
  const idle: Context = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
  const lines = all(buildProgram(idle)).map(lineOf);

  it.each(lines)('%s is explained by --help, with an example that can be read', async (line) => {
    const { code, text } = await read(`${line} --help`);
    expect(code).toBe('commander.helpDisplayed');
    const examples = /Examples:\n((?: {2}\$ .*\n)+)/.exec(text)?.[1] ?? '';
    expect(examples).toContain(`donorlens ${line.split(' ')[0]}`.trim());
  });
});

describe('a word that is nearly right', () => {
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
  ])('is answered with the right one: %s', async (line, meant) => {
    const { code, text } = await read(line);
    expect(code).toMatch(/^commander\./);
    expect(text).toMatch(new RegExp(`Did you mean ${meant}\\?`));
  });
});

it('says its version', async () => {
  expect(await read('--version')).toEqual({ code: 'commander.version', text: '0.1.0\n' });
});

it('offers the queues, sources and scopes that there are', async () => {
  expect(QUEUE_NAMES).toEqual(Object.values(QUEUES));
  expect(SOURCES).toEqual(REFRESHED);
  const { text } = await read('keys issue --help');
  for (const scope of SCOPES) expect(text).toContain(scope);
});
