import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { NestLogger, redacted } from './logger';

const ROOT = resolve(__dirname, '../../..');

describe('log entries', () => {
  it('never contain a key, at any place in the text', () => {
    const key = 'dl_a1B2c3D4_0123456789012345678901234567890123456789012_x1Y2z3';
    for (const text of [
      key,
      `key ${key}.`,
      `GET /enrich/v1/ethnicity?apiKey=${key}&a=b`,
      `?token=${key}`,
      `Bearer ${key}"`,
    ])
      expect(redacted(text)).not.toMatch(/0123456789|x1Y2z3/);
  });

  it('have no keys in query strings, and keep the rest', () => {
    expect(redacted('/a?token=demo-key-1&cycle=2016')).toBe('/a?token=***&cycle=2016');
  });
});

describe('log entries of Nest', () => {
  it('do not contain the error of a failed start, which the last line has', () => {
    const told: string[] = [];
    const logger = { error: (_: object, text: string) => told.push(text), trace: () => undefined };
    const nest = new NestLogger(logger as never);
    nest.error(new Error('Redis may drop jobs'), undefined, 'ExceptionHandler');
    nest.error('a module failed', undefined, 'TypeOrmModule');
    expect(told).toEqual(['a module failed']);
  });
});

describe('buffered lines', () => {
  const run = (work: string) => {
    const source = `const { createLogger, bufferedOutput } = require(${JSON.stringify(resolve(ROOT, 'dist/libs/observability/src/logger.js'))});
      const logger = createLogger('test', 'info', bufferedOutput());`;
    return spawn(process.execPath, ['-e', `${source}\n${work}`]);
  };

  it('are all written before the process ends, in order', async () => {
    const child = run(`for (let i = 0; i < 2_000; i++) logger.info({ i }, 'one');\nprocess.exit(0);`);
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    await once(child, 'close');
    const lines = text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual(
      Array.from({ length: 2_000 }, (_, i) => i),
    );
  });

  it('do not keep a process alive whose reader has ended', async () => {
    for (const level of ['info', 'fatal']) {
      const child = run(`process.stdin.once('data', () => { logger.${level}('one'); process.exit(0); });`);
      child.stdout.destroy();
      child.stdin.write('end');
      expect(await once(child, 'exit')).toEqual([0, null]);
    }
  });

  it('are written while the process continues', async () => {
    const child = run(`logger.info('one');\nsetInterval(() => undefined, 1_000);`);
    const [piece] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    expect(JSON.parse(piece.toString())).toMatchObject({ level: 'info', role: 'test', msg: 'one' });
  });
});
