import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithUs } from '@donorlens/local-servers';

export interface ProcessEnd {
  readonly name: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly ms: number;
}

export interface ProcessOptions {
  readonly name: string;
  /** Called at each start. */
  readonly args: () => readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly logFolder: string;
}

const RESTART_MS = 100;
const STOP_MS = 60_000;

/** A process that is restarted whenever it exits until stop(), as by an orchestrator. */
export class SupervisedProcess {
  private child: ChildProcess;
  private isWanted = true;
  /** Exits that were not requested by stop(). */
  deaths = 0;

  constructor(private readonly options: ProcessOptions) {
    mkdirSync(options.logFolder, { recursive: true });
    this.child = this.launch();
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get logFile(): string {
    return join(this.options.logFolder, `${this.name}.log`);
  }

  /** @returns false if the process has already ended */
  signal(signal: NodeJS.Signals): boolean {
    return this.isAlive && this.child.kill(signal);
  }

  /** Sends SIGSTOP, and SIGCONT after `ms` to the same process, even if it was killed and restarted in between. */
  async freeze(ms: number): Promise<void> {
    const { child } = this;
    child.kill('SIGSTOP');
    await pause(ms);
    child.kill('SIGCONT');
  }

  /** Ends the process without a restart. The process is killed if it does not exit within a minute. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessEnd> {
    this.isWanted = false;
    const started = performance.now();
    const { child } = this;
    const ended = new Promise<void>((done) => {
      if (this.isAlive) child.once('exit', () => done());
      else done();
    });
    child.kill(signal);
    child.kill('SIGCONT'); // in case it is frozen
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
    return { name: this.name, code: child.exitCode, signal: child.signalCode, ms: performance.now() - started };
  }

  /** Starts the process again after stop(). */
  start(): void {
    this.isWanted = true;
    this.child = this.launch();
  }

  private launch(): ChildProcess {
    const log = openSync(this.logFile, 'a');
    const child = spawn(process.execPath, this.options.args(), {
      env: { PATH: process.env.PATH, ...this.options.environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    endWithUs(child, 'SIGKILL');
    child.once('exit', () => void this.restart(child));
    return child;
  }

  private async restart(child: ChildProcess): Promise<void> {
    if (!this.isWanted) return;
    this.deaths++;
    await pause(RESTART_MS);
    if (this.isWanted && this.child === child) this.child = this.launch();
  }
}
