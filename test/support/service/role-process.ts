import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './service';
import { until } from '../until';

/** Long enough for a busy machine. */
const START_MS = 60_000;

/** One built role, started separately and configured by its environment, as in a deployment. */
export class RoleProcess {
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (text: Buffer) => (this.output += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (this.output += text.toString()));
  }

  static async start(role: 'api' | 'worker' | 'aggregator', environment: Record<string, string>): Promise<RoleProcess> {
    const child = spawn(process.execPath, [join(ROOT, `dist/apps/${role}/src/main.js`)], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new RoleProcess(child);
    await until(
      `the ${role} has started`,
      () => {
        if (child.exitCode !== null) throw new Error(`${role} ended: ${running.output}`);
        return /"msg":"(listening|worker started|aggregator started)"/.test(running.output);
      },
      START_MS,
    );
    return running;
  }

  /** Lines that the role has logged so far. */
  get lines(): Record<string, unknown>[] {
    return this.output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Null while the process runs. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** Suspends the process while `work` runs. */
  async suspendDuring<T>(work: () => Promise<T>): Promise<T> {
    this.child.kill('SIGSTOP');
    return work().finally(() => this.child.kill('SIGCONT'));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const end = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await end;
  }
}
