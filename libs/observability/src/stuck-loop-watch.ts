import { workerData } from 'node:worker_threads';
import { createLogger } from './logger';

/** What the thread of stuck-loop.ts is given. */
export interface StuckTask {
  /** One number, to which the watched loop adds. */
  readonly heartbeats: Int32Array<SharedArrayBuffer>;
  readonly role: string;
  readonly stuckSeconds: number;
}

const LOOK_MS = 1_000;
/** For the line to leave: this thread's loop runs. */
const TELL_MS = 250;
const MICROSECONDS = 1e6;

/** Counts the processor's time, not the clock's: a process that is frozen or kept waiting for its turn is not stuck. */
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
    createLogger(role, 'fatal').fatal({ stuckSeconds }, 'the event loop stands still; ending');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), TELL_MS); // an exit would wait for the thread that is stuck
  }, LOOK_MS);
}

// Only stuck-loop.ts starts this file, with a StuckTask.
watch(workerData as StuckTask);
