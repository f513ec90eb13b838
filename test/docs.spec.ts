import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRIBUTION_COLUMNS } from '@donorlens/primitives';

const read = (path: string) => readFileSync(join(__dirname, '..', path), 'utf8');
const firstCells = (text: string, from: string) =>
  text
    .slice(text.indexOf(from))
    .split('\n\n')
    .find((block) => block.startsWith('|'))!
    .split('\n')
    .slice(2)
    .map((line) => line.split('|')[1]);

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

  it('list the columns in the order in which they are written', () => {
    const columns = firstCells(read('docs/data-dictionary.md'), '## Added').map((cell) => cell.replace(/[` ]/g, ''));
    expect(columns).toEqual([...CONTRIBUTION_COLUMNS]);
  });

  it('link to files that are there', () => {
    for (const page of ['README.md', 'docs/api.md', 'docs/runbook.md', 'docs/data-dictionary.md'])
      for (const [, link] of read(page).matchAll(/\]\(([^)#]+)\)/g))
        expect(() => readFileSync(join(__dirname, '..', page, '..', link))).not.toThrow(/ENOENT/);
  });
});
