import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Run, type RunEnd } from './keep-running';

/** Longest time a role may take to finish its work after SIGTERM: its own limit is 20 s. */
export const GRACE_MS = 25_000;

export interface RoleProcess {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly nodeOptions: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  onLine(line: string): void;
  onReady(): void;
}

/**
 * Starts one role as a child of this process. It gets a process group of its own, so that Ctrl-C in the terminal
 * reaches the supervisor only, which then stops things in order; it ends with us by the IPC channel.
 */
export function startRole(role: RoleProcess, graceMs = GRACE_MS): Promise<Run> {
  const child = spawn(process.execPath, [...role.nodeOptions, role.script, ...(role.args ?? [])], {
    env: role.env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    // The stream is there: stdio says pipe.
    if (stream) createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => role.onLine(line));
  }
  child.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready')
      role.onReady();
  });
  // 'close' comes after the last line was read, so the reason of an end is known when the end is.
  const ended = new Promise<RunEnd>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const stop = async (force: boolean): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(force ? 'SIGKILL' : 'SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  };
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve({ pid: child.pid, ended, stop }));
  });
}
