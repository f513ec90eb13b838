import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COUNT_REASONS, countingOf } from '@donorlens/campaign-finance';
import { VERSION } from '@donorlens/observability';
import { CONTRIBUTION_COLUMNS, GEOCODE_OUTCOMES, type GeocodeStatus } from '@donorlens/primitives';
import { type CommanderError } from 'commander';
import { buildProgram } from '../apps/cli/src/program';
import { FILE_GUIDES } from '../apps/api/src/charts/file-guide';
import { AGE_ERROR_YEARS } from '../apps/api/src/web/layout/labels';
import { measureProse } from '../scripts/metrics/prose';
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

/** Commands of npm itself. */
const NPM_COMMANDS = ['ci', 'audit', 'sbom'];

const markdownIn = (folder: string): string[] =>
  readdirSync(join(__dirname, '..', folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`);

/** Pages for readers; commands write docs/results. */
const GUIDES = [...markdownIn('docs'), 'docs/snippets/README.md'];
const DECISIONS = markdownIn('docs/decisions');
const PAGES = ['README.md', 'CHANGELOG.md', ...GUIDES];

const MAX_MEAN_SENTENCE = 18;
const MAX_SENTENCE = 35;
const MAX_README_WORDS = 500;
const MAX_GUIDE_WORDS = 18_000;
const MAX_OWN_TERMS = 60;

/** Anchors of the headings. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
    words
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/** The reason why a command line is invalid; nothing is run. `…` stands for commands or options that follow. */
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
  it('list every environment variable, and no other', () => {
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

  it('give the defaults of the variables', () => {
    const rows = read('docs/runbook.md').matchAll(/^\| `([A-Z_]+)` \| `?([^|`]*?)`? \|/gm);
    const inDocs = new Map([...rows].map(([, name, text]) => [name, text]));
    const inCode = [...read('libs/config/src/config.ts').matchAll(/^ {2}([A-Z_]+): .*\.default\('?([\w.,-]+)'?\),$/gm)];
    expect(inCode.length).toBeGreaterThan(15);
    for (const [, name, text] of inCode)
      expect([name, inDocs.get(name)]).toEqual([name, text.replace(/(?<=\d)_(?=\d)/g, '')]);
  });

  it('name the version of the packages', () => {
    const versionIn = (path: string, pattern: RegExp) => [path, pattern.exec(read(path))?.[1]];
    const packages = ['package.json', 'package-lock.json', 'clients/typescript/package.json'];
    const overlays = ['base', 'overlays/production'].map((name) => `deploy/kubernetes/${name}/kustomization.yaml`);
    const found = [
      ...packages.map((path) => versionIn(path, /"version": "(.+?)"/)),
      versionIn('clients/python/pyproject.toml', /^version = "(.+)"$/m),
      versionIn('clients/typescript/README.md', /donorlens-client-(.+)\.tgz/),
      ...overlays.map((path) => versionIn(path, /newTag: (.+)/)),
      versionIn('CHANGELOG.md', /^## \[(\d.*)\] - \d{4}-\d\d-\d\d$/m),
    ];
    expect(found).toEqual(found.map(([path]) => [path, VERSION]));
  });

  it('give the same rounded errors of ages as the pages', () => {
    const table = read('docs/method.md').split('<!-- evaluation of ages -->')[1];
    const biases = Object.keys(AGE_ERROR_YEARS).map((basis) => [
      basis,
      Math.round(-Number(new RegExp(`^\\| ${basis} \\|(?:[^|]*\\|){3} ([-\\d.]+) `, 'm').exec(table)?.[1])),
    ]);
    expect(Object.fromEntries(biases)).toEqual(AGE_ERROR_YEARS);
  });

  it('give an example of each rule for how a row counts', () => {
    const text = read('docs/data-dictionary.md');
    const rows = text
      .slice(text.indexOf('### How a row counts'))
      .split('\n\n')[2]
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const [, reason, adds, , example] of rows) {
      const [transactionType, entityType, memoCode, dollars] = example.split('`')[1].split(',');
      const counting = countingOf({
        transactionType,
        entityType,
        memoCode,
        memoText: '',
        otherId: transactionType === '24T' ? 'C99900001' : '',
        isKeptForFiler: reason === '`earmark_copy`',
        line: '',
        amountCents: 100 * Number(dollars),
        hasDate: reason !== '`no_date`',
        hasName: reason !== '`no_name`',
      });
      const money = counting.moneyCents < 0 ? 'less money' : counting.moneyCents > 0 ? 'money' : '';
      const added = [money, counting.countsDonor ? 'a donor' : ''].filter((part) => part !== '').join(', ');
      expect([`\`${counting.reason}\``, added || 'nothing']).toEqual([reason, adds]);
    }
    expect(rows).toHaveLength(COUNT_REASONS.length);
  });

  it('define each geocode status', () => {
    const inDocs = firstCells(read('docs/data-dictionary.md'), '### Geocode status');
    const statuses: GeocodeStatus[] = [...GEOCODE_OUTCOMES, 'SKIPPED', 'PENDING'];
    expect(inDocs.map((cell) => cell.replace(/[` ]/g, '')).sort()).toEqual(statuses.sort());
  });

  it('list the added columns in the order of the output', () => {
    const columns = firstCells(read('docs/data-dictionary.md'), '## Added columns').map((cell) =>
      cell.replace(/[` ]/g, ''),
    );
    expect(columns).toEqual([...CONTRIBUTION_COLUMNS]);
  });

  /** Written by: UPDATE_DOCS=1 npm test -- test/docs */
  it('describe the columns of every file as the about page does', () => {
    const begin = '<!-- columns of files -->\n\n';
    const end = '\n<!-- end of columns of files -->';
    const [before, rest] = read('docs/data-dictionary.md').split(begin);
    const [inDocs, after] = rest.split(end);
    if (process.env.UPDATE_DOCS === '1')
      writeFileSync(join(__dirname, '../docs/data-dictionary.md'), before + begin + fileDictionary() + end + after);
    else expect(inDocs).toBe(fileDictionary());
  });

  /** Written by: UPDATE_DOCS=1 npm test -- test/docs */
  it('list every decision by its title', () => {
    const begin = '<!-- decisions -->\n\n';
    const end = '\n<!-- end of decisions -->';
    const [before, rest] = read('docs/architecture.md').split(begin.trimEnd());
    const entries = DECISIONS.toSorted().map((path) => {
      const [, number, title] = /^# 0*(\d+)\.? (.+)$/m.exec(read(path))!;
      return `- [${number}. ${title}](${path.replace('docs/', '')})\n`;
    });
    const wanted = before + begin + entries.join('') + rest.slice(rest.indexOf(end));
    if (process.env.UPDATE_DOCS === '1') writeFileSync(join(__dirname, '../docs/architecture.md'), wanted);
    else expect(read('docs/architecture.md')).toBe(wanted);
  });

  it('list every file of the data and charts group', () => {
    const page = read('docs/api.md');
    for (const { path, parameters } of FILE_GUIDES) {
      const line = page.split('\n').find((one) => one.startsWith(`| \`GET /data-charts/v1/${path}\``));
      expect([path, parameters.filter((name) => !line?.includes(`\`${name}\``))]).toEqual([path, []]);
    }
  });

  it('use existing commands and options', async () => {
    const commands = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\bbin\/donorlens ([^`\n]+)/g)].map(([, rest]) => rest.replace(/ < \S+$/, '')),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) expect([command, await refusalOf(command)]).toEqual([command, undefined]);
    expect(await refusalOf('keys issue --name newsroom --scope ops')).toBe('commander.unknownOption');
    expect(await refusalOf('release withdraw')).toMatch(/^commander\./);
  });

  it('use existing npm scripts, compose services and folders', () => {
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

  it('describe every lib', () => {
    const cells = firstCells(read('docs/architecture.md'), '| folders under `libs`');
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map((match) => match[1]));
    expect(named.sort()).toEqual(readdirSync(join(__dirname, '../libs')).sort());
  });

  it('link to existing files and headings', () => {
    for (const page of [...PAGES, ...DECISIONS, 'clients/typescript/README.md'])
      for (const [, link, heading] of read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)) {
        const path = link === '' ? page : join(page, '..', link);
        expect([page, link, existsSync(join(__dirname, '..', path))]).toEqual([page, link, true]);
        if (heading !== undefined)
          expect([page, heading, headingsOf(read(path))]).toEqual([page, heading, expect.arrayContaining([heading])]);
      }
  });

  it('name existing files and folders', () => {
    for (const page of [...PAGES, ...DECISIONS.filter((path) => !path.includes('/0011-'))])
      for (const [, path] of read(page).matchAll(/`((?:apps|libs|scripts|test|docs|deploy|bin|clients)\/[\w./-]+)`/g))
        expect([page, path, existsSync(join(__dirname, '..', path))]).toEqual([page, path, true]);
  });

  it('have the headings that pages and comments link to', () => {
    const sources = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(join(__dirname, '..', folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /(?<!spec)\.tsx?$/.test(path))
        .map((path) => `${folder}/${path}`),
    );
    const links = sources.flatMap((source) => [
      ...read(source).matchAll(/(?:\/guide\/|docs\/)([a-z-]+)(?:\.md)?#([\w-]+)/g),
    ]);
    expect(links.length).toBeGreaterThan(3);
    for (const [link, page, heading] of links)
      expect([link, headingsOf(read(`docs/${page}.md`))]).toEqual([link, expect.arrayContaining([heading])]);
  });

  it('have short sentences', () => {
    for (const page of [...PAGES, ...DECISIONS]) {
      const { meanSentence, longestSentence, longest } = measureProse(read(page));
      expect([page, meanSentence <= MAX_MEAN_SENTENCE]).toEqual([page, true]);
      expect([page, longestSentence <= MAX_SENTENCE ? '' : longest]).toEqual([page, '']);
    }
  });

  it('begin with a title and a paragraph', () => {
    for (const page of [...PAGES, ...DECISIONS])
      expect([page, read(page)]).toEqual([page, expect.stringMatching(/^# .+\n\n[^#|`\n-]/)]);
  });

  it('are all within two links of the README', () => {
    const linksOf = (page: string) =>
      [...read(page).matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)].map(([, link]) => join(page, '..', link));
    const direct = linksOf('README.md');
    const reached = new Set([...direct, ...direct.flatMap(linksOf)]);
    const results = markdownIn('docs/results');
    expect([...GUIDES, ...DECISIONS, ...results].filter((page) => !reached.has(page))).toEqual([]);
  });

  it('keep the README, the guides and the glossary short', () => {
    const wordsOf = (page: string): number => measureProse(read(page)).words;
    expect(wordsOf('README.md')).toBeLessThanOrEqual(MAX_README_WORDS);
    expect(GUIDES.reduce((sum, page) => sum + wordsOf(page), 0)).toBeLessThanOrEqual(MAX_GUIDE_WORDS);
    const [, own] = read('docs/glossary.md').split(/^## /m);
    const terms = own.split('\n').filter((line) => line.startsWith('- **'));
    expect(terms.length).toBeGreaterThan(20);
    expect(terms.length).toBeLessThanOrEqual(MAX_OWN_TERMS);
  });
});
