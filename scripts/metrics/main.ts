/**
 * Reports size and structure of the repository and the length of its sentences: `npm run metrics`. A folder as argument
 * selects another checkout. `--files` lists what the figures count. `--trace` instead counts the product files that
 * three requests pass through.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { measureProse } from './prose';
import { parseFiles, type SourceFile, trackedFiles } from './source-files';
import { folderCycles, singleImporterFiles, SMALL_FILE_LINES } from './structure';

const root = resolve(process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? '.');
const lists = process.argv.includes('--files');
const isSpec = (path: string): boolean => /spec\.tsx?$/.test(path);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const longest = <T extends { lines: number }>(items: readonly T[]): T | undefined =>
  items.reduce<T | undefined>((most, item) => (most && most.lines >= item.lines ? most : item), undefined);

function structureRows(product: readonly SourceFile[], all: readonly SourceFile[]): [string, string][] {
  const singles = singleImporterFiles(product);
  const small = singles.filter(({ lines }) => lines < SMALL_FILE_LINES);
  const cycles = folderCycles(product);
  const functions = product.flatMap(({ path, functions: own }) => own.map((one) => ({ ...one, path })));
  const longFunction = longest(functions);
  const longFile = longest(all);
  const api = product.filter(({ path }) => path.startsWith('apps/api/'));
  const scripts = all.filter(({ path }) => path.startsWith('scripts/'));
  if (lists) for (const { path, lines } of small) console.log(`single importer, ${lines} lines: ${path}`);
  if (lists) for (const cycle of cycles) console.log(`cycle: ${cycle.join(' ')}`);
  if (lists) {
    for (const { path, name, lines } of functions) if (lines > 60) console.log(`${lines} lines: ${name} in ${path}`);
    for (const { path, lines } of all) if (lines > 400) console.log(`${lines} lines: ${path}`);
  }
  return [
    ['product files', `${product.length}`],
    ['product files of the api', `${api.length}`],
    ['product lines', `${sum(product.map(({ lines }) => lines))}`],
    ['mean lines of a product file', (sum(product.map(({ lines }) => lines)) / product.length).toFixed(1)],
    ['product files with one importer', `${singles.length}`],
    [`product files with one importer and under ${SMALL_FILE_LINES} lines`, `${small.length}`],
    ['cycles between sibling folders', `${cycles.length}`],
    ['longest function', `${longFunction?.lines} lines, ${longFunction?.name} in ${longFunction?.path}`],
    ['longest file, tests included', `${longFile?.lines} lines, ${longFile?.path}`],
    ['files of scripts', `${scripts.length}`],
    ['lines of scripts', `${sum(scripts.map(({ lines }) => lines))}`],
  ];
}

function measureRepository(): void {
  const paths = trackedFiles(root, 'apps', 'libs', 'scripts', 'test').filter((path) => /\.tsx?$/.test(path));
  const files = parseFiles(root, paths);
  const product = files.filter(({ path }) => /^(apps|libs)\//.test(path) && !isSpec(path));
  for (const [name, value] of structureRows(product, files)) console.log(`${name}: ${value}`);

  const pages = ['README.md', ...trackedFiles(root, 'docs/*.md')].map((path) => ({
    path,
    ...measureProse(readFileSync(join(root, path), 'utf8')),
  }));
  const guides = pages.filter(({ path }) => /^docs\/(?!results\/|decisions\/)/.test(path));
  console.log(`words of README.md: ${pages[0]?.words}`);
  console.log(`words of documents without results and decisions: ${sum(guides.map(({ words }) => words))}`);
  console.log('\npage: words, mean sentence, longest sentence');
  for (const { path, words, meanSentence, longestSentence, longest: text } of pages) {
    if (path.startsWith('docs/results/')) continue;
    console.log(`${path}: ${words}, ${meanSentence.toFixed(1)}, ${longestSentence}`);
    if (lists && longestSentence > 35) console.log(`    ${text}`);
  }
}

async function main(): Promise<void> {
  if (!process.argv.includes('--trace')) return measureRepository();
  const { printTraces } = await import('./trace.js'); // it can start roles; the other figures need none
  await printTraces(root, lists);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
