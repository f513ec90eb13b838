import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECK = join(__dirname, '../scripts/language/check.js');

describe('npm run language', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-language-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const check = (text: string) => {
    const file = join(folder, 'text.ts');
    writeFileSync(file, text);
    const { status, stderr } = spawnSync(process.execPath, [CHECK, file], { encoding: 'utf8' });
    return { status, lines: stderr.split('\n').map((line) => line.replace(`${file}:`, '')) };
  };

  it('names the line, the retired term, its replacement and the reason', () => {
    const { status, lines } = check('const a = 1;\nif (isWeather(error)) retry(); // Nobody waits.\n');
    expect(status).toBe(1);
    expect(lines[0]).toMatch(/^2: “isWeather” is retired, write isTransientError \(.+\)$/);
    expect(lines[1]).toMatch(/^2: “Nobody” is retired, write .+ \(.+\)$/);
    expect(lines[2]).toMatch(/^2 retired terms\./);
  });

  it('finds limits that are not called MAX or MIN', () => {
    expect(check('const MOST_ROWS = 1;\n').lines[0]).toContain('“MOST_ROWS” is retired, write MAX_…');
    expect(check('const MAX_ROWS = 1;\n').status).toBe(0);
  });

  it('accepts words that only contain a retired term', () => {
    expect(check('the passage of time; canewood; isWeatherproof\n')).toEqual({ status: 0, lines: [''] });
  });
});
