import { parseLogLine, prefixedLine, prettyLine, reasonIn } from './output-log';

const line = '{"level":"warn","time":"2026-11-20T12:34:56.789Z","role":"worker","msg":"chunk late","runs":2}';

describe('a line of a log', () => {
  it('is shown with time, role, level, message and the other fields', () => {
    expect(prettyLine('worker', line, false)).toBe('12:34:56 worker     warn  chunk late runs=2');
  });

  it('is colored only on request', () => {
    expect(prettyLine('worker', line, true)).toContain('\u001b[33m');
    expect(prettyLine('worker', line, false)).not.toContain('\u001b');
  });

  it('stays unchanged if it is not JSON', () => {
    expect(prettyLine('api', 'Error: out of memory', false)).toBe('         api        Error: out of memory');
    expect(parseLogLine('{broken')).toBeNull();
    expect(parseLogLine('[1]')).toBeNull();
  });

  it('is unchanged after its role without a terminal', () => {
    expect(prefixedLine('api', line)).toBe(`api        | ${line}`);
  });

  it('contains the reason of an exit if it is an error', () => {
    expect(reasonIn('{"level":"fatal","msg":"no data folder"}')).toBe('no data folder');
    expect(reasonIn("Error: Cannot find module 'x'")).toBe("Error: Cannot find module 'x'");
    expect(reasonIn('    at Module._load (node:internal)')).toBeNull();
    expect(reasonIn(line)).toBeNull();
    expect(reasonIn('text')).toBeNull();
  });
});
