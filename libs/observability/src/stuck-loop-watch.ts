import { workerData } from 'node:worker_threads';
import { createLogger } from './logger';

/** Data of the watchdog thread, which endWhenStuck in process-lifecycle.ts starts. */
export interface StuckTask {
  /** One number, to which the watched loop adds. */
  readonly heartbeats: Int32Array<SharedArrayBuffer>;
  readonly role: string;
  readonly stuckSeconds: number;
}

const LOOK_MS = 1_000;
/** Time for the log line to be written. */
const LOG_MS = 250;
const MICROSECONDS = 1e6;

/** Counts CPU time, not wall time: a process that is suspended or not scheduled is not stuck. */
function watch({ heartbeats, role, stuckSeconds }: StuckTask): void {
  let seen = -1;
  let since = process.cpuUsage();
  const look = setInterval(() => {
    const now = Atomics.load(heartbeats, 0);
    if (now !== seen) {
      seen = now;
      since = process.cpuUsage();
      return;
    }
    const { user, system } = process.cpuUsage(since);
    if (user + system < stuckSeconds * MICROSECONDS) return;
    clearInterval(look);
    createLogger(role, 'fatal').fatal({ stuckSeconds }, 'event loop blocked, process is killed');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LOG_MS); // an exit would wait for the thread that is stuck
  }, LOOK_MS);
}

// Only endWhenStuck starts this file, with a StuckTask.
watch(workerData as StuckTask);
