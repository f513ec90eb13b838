import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile, OutputLog } from './output-log';

describe('the logs of a home', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-logs-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('use at most two files per role', () => {
    const file = new LogFile(join(folder, 'api.log'), 100);
    for (let i = 0; i < 100; i++) file.line(`line ${i} of the log`);
    file.close();
    expect(readdirSync(folder).sort()).toEqual(['api.log', 'api.log.1']);
    const kept = readFileSync(join(folder, 'api.log'), 'utf8');
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept).toContain('line 99 of the log');
  });

  it('lose only the lines of a rotation that fails, and do not end the service', () => {
    const path = join(folder, 'api.log');
    const file = new LogFile(path, 10);
    file.line('line one');
    mkdirSync(join(`${path}.1`, 'folder'), { recursive: true });
    file.line('line two');
    rmSync(`${path}.1`, { recursive: true });
    file.line('line three');
    rmSync(path); // as if the last rotation could not open the new file
    file.line('line four');
    file.close();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('line one\n');
    expect(readFileSync(path, 'utf8')).toBe('line four\n');
  });

  it('lose only lines for which no file can be opened', () => {
    const path = join(folder, 'logs', 'api.log');
    const file = new LogFile(path);
    file.line('line one');
    mkdirSync(join(folder, 'logs'));
    file.line('line two');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('line two\n');
  });

  it('continue an existing file', () => {
    for (const text of ['one', 'two']) {
      const file = new LogFile(join(folder, 'api.log'));
      file.line(text);
      file.close();
    }
    expect(readFileSync(join(folder, 'api.log'), 'utf8')).toBe('one\ntwo\n');
  });

  it('show every line with its role, and never contain keys', () => {
    const shown: string[] = [];
    const log = new OutputLog(folder, { pretty: false, color: false, write: (line) => shown.push(line) });
    log.line('api', 'GET /x?apiKey=very-secret-key');
    log.writeSupervisorLine('info', 'begun');
    log.close();
    expect(shown[0]).toBe('api        | GET /x?apiKey=***');
    expect(shown[1]).toMatch(/^start +\| {"level":"info".*"msg":"begun"}$/);
    expect(readFileSync(join(folder, 'api.log'), 'utf8')).not.toContain('very-secret');
  });
});
