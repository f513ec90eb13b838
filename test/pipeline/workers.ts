import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, builtApp } from '../support/installation';

/** A row with the surname EXITSPROCESS ends its worker. */
const POISON = join(ROOT, 'dist/test/support/fault-injection/poison.js');

/** Worker processes that are restarted when they exit, as with `npm start`. */
export class Workers {
  private readonly running = new Set<ChildProcess>();
  private stopping = false;
  /** Number of processes that exited before `stop`. */
  deaths = 0;
  /** Warnings and errors of all processes, as JSON. */
  readonly log: string[] = [];

  constructor(
    private readonly environment: Record<string, string>,
    private readonly onDeath: () => Promise<void> = () => Promise.resolve(),
  ) {}

  start(): ChildProcess {
    const child = spawn(process.execPath, ['-r', POISON, builtApp('worker')], {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...this.environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.log.push(line));
    this.running.add(child);
    child.on('exit', () => {
      this.running.delete(child);
      if (this.stopping) return;
      this.deaths++;
      void this.onDeath().then(() => this.stopping || this.start());
    });
    return child;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const ends = [...this.running].map((child) => once(child, 'exit'));
    for (const child of this.running) child.kill('SIGTERM');
    await Promise.all(ends);
  }
}
