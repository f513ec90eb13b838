import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRIBUTION_COLUMNS, GEOCODE_OUTCOMES, type GeocodeStatus } from '@donorlens/primitives';
import { type CommanderError } from 'commander';
import { buildProgram } from '../apps/cli/src/program';
import { FILE_GUIDES } from '../apps/api/src/data-charts/file-guide';
import { fileDictionary } from './support/file-dictionary';

const read = (path: string) => readFileSync(join(__dirname, '..', path), 'utf8');
const firstCells = (text: string, from: string) =>
  text
    .slice(text.indexOf(from))
    .split('\n\n')
    .find((block) => block.startsWith('|'))!
    .split('\n')
    .slice(2)
    .map((line) => line.split('|')[1]);

/** Of npm's own. */
const NPM_COMMANDS = ['ci', 'audit', 'sbom'];

const PAGES = [
  'README.md',
  'docs/api.md',
  'docs/runbook.md',
  'docs/data-dictionary.md',
  'docs/webhooks.md',
  'docs/command-line.md',
  'docs/scaling.md',
  'docs/architecture.md',
  'docs/reliability.md',
  'docs/security.md',
  'docs/performance.md',
  'docs/contributing.md',
  'docs/quickstart.md',
  'docs/method.md',
  'docs/metrics.md',
  'docs/snippets/README.md',
];

/** Headings as they are linked to. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
    words
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/** Why a command line cannot be read; nothing is run. `…` stands for one of the commands or options that follow. */
async function refusalOf(line: string): Promise<string | undefined> {
  const words = line.replace(/ >.*/, '').match(/"[^"]*"|\S+/g) ?? [];
  const idle = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
  try {
    await buildProgram(idle).parseAsync(
      words.map((word) => (word === '…' ? '--help' : word.replace(/^"|"$/g, ''))),
      { from: 'user' },
    );
    return undefined;
  } catch (error) {
    const { code } = error as CommanderError;
    return code === 'commander.helpDisplayed' ? undefined : code;
  }
}

describe('the documents', () => {
  it('list every environment variable there is, and no other', () => {
    const inCode = [...read('libs/config/src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map((match) => match[1]);
    const inDocs = firstCells(read('docs/runbook.md'), '## Environment').flatMap((cell) =>
      [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]),
    );
    expect(inDocs.filter((name) => !name.startsWith('DONORLENS_') || name === 'DONORLENS_HOME').sort()).toEqual(
      [...inCode].sort(),
    );
    const ofTheClient = read('libs/config/src/client-config.ts');
    for (const name of inDocs) if (!inCode.includes(name)) expect(ofTheClient).toContain(name);
  });

  it('give the defaults that the variables have', () => {
    const rows = read('docs/runbook.md').matchAll(/^\| `([A-Z_]+)` \| `?([^|`]*?)`? \|/gm);
    const inDocs = new Map([...rows].map(([, name, text]) => [name, text]));
    const inCode = [...read('libs/config/src/config.ts').matchAll(/^ {2}([A-Z_]+): .*\.default\('?([\w.,-]+)'?\),$/gm)];
    expect(inCode.length).toBeGreaterThan(15);
    for (const [, name, text] of inCode)
      expect([name, inDocs.get(name)]).toEqual([name, text.replace(/(?<=\d)_(?=\d)/g, '')]);
  });

  it('say what each status of an address means', () => {
    const inDocs = firstCells(read('docs/data-dictionary.md'), '### What became of an address');
    const statuses: GeocodeStatus[] = [...GEOCODE_OUTCOMES, 'SKIPPED', 'PENDING'];
    expect(inDocs.map((cell) => cell.replace(/[` ]/g, '')).sort()).toEqual(statuses.sort());
  });

  it('list the columns in the order in which they are written', () => {
    const columns = firstCells(read('docs/data-dictionary.md'), '## Added').map((cell) => cell.replace(/[` ]/g, ''));
    expect(columns).toEqual([...CONTRIBUTION_COLUMNS]);
  });

  /** Written by: UPDATE_DOCS=1 npx jest test/docs */
  it('describe the columns of every file as the about page does', () => {
    const begin = '<!-- columns of files -->\n\n';
    const end = '\n<!-- end of columns of files -->';
    const [before, rest] = read('docs/data-dictionary.md').split(begin);
    const [inDocs, after] = rest.split(end);
    if (process.env.UPDATE_DOCS === '1')
      writeFileSync(join(__dirname, '../docs/data-dictionary.md'), before + begin + fileDictionary() + end + after);
    else expect(inDocs).toBe(fileDictionary());
  });

  it('list every file of the data and charts group', () => {
    const page = read('docs/api.md');
    for (const { path, parameters } of FILE_GUIDES) {
      const line = page.split('\n').find((one) => one.startsWith(`| \`GET /data-charts/v1/${path}\``));
      expect([path, parameters.filter((name) => !line?.includes(`\`${name}\``))]).toEqual([path, []]);
    }
  });

  it('name commands and options that there are', async () => {
    const commands = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\bbin\/donorlens ([^`\n]+)/g)].map(([, rest]) => rest),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) expect([command, await refusalOf(command)]).toEqual([command, undefined]);
    expect(await refusalOf('keys issue --name newsroom --scope ops')).toBe('commander.unknownOption');
    expect(await refusalOf('release withdraw')).toMatch(/^commander\./);
  });

  it('name npm scripts, services of compose and folders that there are', () => {
    const text = PAGES.map(read).join('\n');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, name] of text.matchAll(/\bnpm (?:run )?(start|test|\w+(?=[`\s]))/g))
      if (!NPM_COMMANDS.includes(name)) expect(scripts).toHaveProperty(name);
    const services = [...read('docker-compose.yml').matchAll(/^ {2}([\w-]+):(?: #.*)?$/gm)].map((match) => match[1]);
    for (const [, names] of text.matchAll(
      /docker compose (?:exec(?: -T)?|stop|start|logs) ([a-z -]+?)(?= node| pg_| \w+db |`|\n)/g,
    ))
      expect(services).toEqual(expect.arrayContaining(names.split(' ')));
    for (const [, path] of text.matchAll(/kubectl apply -k ([\w/]+)/g))
      expect(existsSync(join(__dirname, '..', path, 'kustomization.yaml'))).toBe(true);
  });

  it('say of every lib what lives there', () => {
    const cells = firstCells(read('docs/architecture.md'), '| folders under `libs`');
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map((match) => match[1]));
    expect(named.sort()).toEqual(readdirSync(join(__dirname, '../libs')).sort());
  });

  it('link to files that are there', () => {
    for (const page of PAGES)
      for (const [, link, heading] of read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)) {
        const path = link === '' ? page : join(page, '..', link);
        expect([page, link, existsSync(join(__dirname, '..', path))]).toEqual([page, link, true]);
        if (heading !== undefined)
          expect([page, heading, headingsOf(read(path))]).toEqual([page, heading, expect.arrayContaining([heading])]);
      }
  });
});
