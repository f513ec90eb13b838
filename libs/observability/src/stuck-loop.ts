import { Worker } from 'node:worker_threads';
import { type StuckTask } from './stuck-loop-watch';

const BEAT_MS = 500;
/**
 * Of processor time. Nothing that is well computes for so long without a pause: a chunk takes well under a second. A
 * third of a chunk's lease, so that on half a core, too, the next worker takes the row when this one has gone.
 */
const STUCK_SECONDS = 3;

const WATCH = require.resolve('./stuck-loop-watch');

/**
 * Kills this process once its event loop has stood still for three seconds of computing, as over a row that never ends: it
 * would keep its work and answer no probe, and only whoever starts it again can help. A thread of its own looks, since
 * nothing else still runs. Where the code is not compiled (tests run from TypeScript) nobody does.
 */
export function endWhenStuck(role: string, stuckSeconds = STUCK_SECONDS): void {
  if (!WATCH.endsWith('.js')) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const task: StuckTask = { beats, role, stuckSeconds };
  new Worker(WATCH, { workerData: task }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
}
