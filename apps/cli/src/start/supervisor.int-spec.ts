import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/support/until';
import { isAlive } from '../home/process-identity';
import { startRole } from './roles';
import { Supervisor } from './supervisor';

/** Replacements for a role: real processes that report their actions. */
const SCRIPTS = {
  serves: `process.on('SIGTERM', () => { console.log('finishing'); setTimeout(() => process.exit(0), 50); });
    setInterval(() => {}, 1000); process.send({ type: 'ready' });`,
  stubborn: `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send({ type: 'ready' });`,
  crashes: `require('node:fs').appendFileSync(process.env.MARKS, Date.now() + '\\n'); console.log('oh'); process.exit(1);`,
};

describe('the supervisor', () => {
  let folder: string;
  let supervisor: Supervisor;
  const said: string[] = [];
  const lines: string[] = [];
  let readies = 0;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-supervisor-'));
    said.length = lines.length = readies = 0;
    supervisor = new Supervisor((_level, message) => said.push(message));
  });
  afterEach(async () => {
    await supervisor.stop(true);
    rmSync(folder, { recursive: true, force: true });
  });

  function role(name: keyof typeof SCRIPTS, graceMs = 5_000) {
    const script = join(folder, `${name}.js`);
    writeFileSync(script, SCRIPTS[name]);
    const start = () =>
      startRole(
        {
          ...{ name, script, nodeOptions: [], env: { MARKS: join(folder, 'marks') } },
          onLine: (line) => lines.push(line),
          onReady: () => readies++,
        },
        graceMs,
      );
    return supervisor.startRole({ name, start }, () => true);
  }
  const pidOf = (name: string): number => supervisor.processes()[name] ?? 0;

  it('starts a role again after kill -9, with a new process id', async () => {
    await role('serves');
    await until('it happens', () => readies === 1);
    const first = pidOf('serves');
    process.kill(first, 'SIGKILL');
    await until('it happens', () => readies === 2);
    expect(pidOf('serves')).not.toBe(first);
    expect(said.join()).toContain('serves ended (killed by SIGKILL)');
  });

  it('waits longer after each early exit of a role', async () => {
    writeFileSync(join(folder, 'marks'), '');
    await role('crashes');
    const marks = () => readFileSync(join(folder, 'marks'), 'utf8').trim().split('\n').map(Number);
    await until('it happens', () => marks().length >= 4);
    const [first = 0, , , fourth = 0] = marks();
    expect(fourth - first).toBeGreaterThanOrEqual(1_000); // 250 + 500 + 1,000 ms between starts, with some variance
    expect(lines).toContain('oh');
  });

  it('lets a role finish its work, and does not restart it', async () => {
    await role('serves');
    await until('it happens', () => readies === 1);
    const pid = pidOf('serves');
    await supervisor.stop();
    expect(lines).toContain('finishing');
    expect(isAlive(pid)).toBe(false);
    expect(readies).toBe(1);
  });

  it('kills a role that does not exit within the grace period', async () => {
    await role('stubborn', 200);
    await until('it happens', () => readies === 1);
    const pid = pidOf('stubborn');
    await supervisor.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('kills a role immediately if the stop is forced during the grace period', async () => {
    await role('stubborn', 600_000);
    await until('it happens', () => readies === 1);
    const pid = pidOf('stubborn');
    const polite = supervisor.stop();
    await supervisor.stop(true);
    await polite;
    expect(isAlive(pid)).toBe(false);
  });
});
