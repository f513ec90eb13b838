import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/support/until';
import { isAlive } from '../home/process-identity';
import { SpareProcess } from './spare-process';
import { type Run } from './supervisor';

/** Replacement for a role. With --spare it waits for a message. */
const SCRIPT = `console.log('pid ' + process.pid);
  const serve = () => process.send({ type: 'ready' });
  if (process.argv.includes('--spare')) process.once('message', serve);
  else serve();
  setInterval(() => {}, 1000);`;

describe('a role with a spare process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-spare-'));
  const script = join(folder, 'role.js');
  const lines: string[] = [];
  const warnings: string[] = [];
  const runs: Run[] = [];
  let readies: number;
  let role: SpareProcess;

  beforeAll(() => writeFileSync(script, SCRIPT));
  beforeEach(() => {
    lines.length = warnings.length = runs.length = readies = 0;
    role = new SpareProcess(
      {
        ...{ name: 'role', script, nodeOptions: [], env: {} },
        onLine: (line) => lines.push(line),
        onReady: () => readies++,
      },
      (message) => warnings.push(message),
    );
  });
  afterEach(() => Promise.all([role.stop(), ...runs.map((run) => run.stop(true))]));
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = async (): Promise<number | undefined> => {
    const run = await role.start();
    runs.push(run);
    return run.pid;
  };
  const sparePid = async (): Promise<number> => {
    const before = lines.length;
    await role.prepare();
    await until('the spare process has started', () => lines.length > before);
    return Number(lines.at(-1)?.slice('pid '.length));
  };

  it('starts from the spare process once, and then as a new process', async () => {
    const pid = await sparePid();
    expect(readies).toBe(0);
    expect(await start()).toBe(pid);
    await until('it is ready', () => readies === 1);
    expect(await start()).not.toBe(pid);
    await until('the other is ready', () => readies === 2);
  });

  it('has at most one, and starts a new process if the spare process has exited', async () => {
    const pid = await sparePid();
    await role.prepare();
    process.kill(pid, 'SIGKILL');
    await until('it has died', () => !isAlive(pid));
    expect(await start()).not.toBe(pid);
    await until('the role is ready', () => readies === 1);
    expect(lines).toHaveLength(2);
  });

  it('logs a spare process that cannot be started, and prepares one at the next call', async () => {
    const execPath = jest.replaceProperty(process, 'execPath', join(folder, 'missing'));
    await role.prepare();
    expect(warnings).toEqual([expect.stringMatching(/^the spare process of role did not start: spawn .* ENOENT$/)]);
    execPath.restore();
    const pid = await sparePid();
    expect(await start()).toBe(pid);
  });

  it('ends the spare process on stop, and prepares no other', async () => {
    const pid = await sparePid();
    await role.stop();
    await role.prepare();
    expect(isAlive(pid)).toBe(false);
    expect(lines).toHaveLength(1);
  });
});
