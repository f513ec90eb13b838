import { type IncomingMessage } from 'node:http';
import { Problem } from './problem';

/** Of all bodies that this process holds at a time, decompressed. Two of the largest, or a dozen synchronous ones. */
export const BODY_BUDGET = { bytes: 64 * 1024 * 1024 };

let heldBytes = 0;
const heldBy = new WeakMap<IncomingMessage, number>();

/** Counts bytes as they arrive: what was promised and never sent takes nothing. @throws Problem 503 */
export function holdBody(request: IncomingMessage, bytes: number): void {
  if (heldBytes + bytes > BODY_BUDGET.bytes)
    throw new Problem('unavailable', 'Too many large bodies are being read; send this one again in a moment.', {
      headers: { 'retry-after': '2' },
    });
  heldBytes += bytes;
  heldBy.set(request, (heldBy.get(request) ?? 0) + bytes);
}

/** Once a request is answered or given up. Doing it twice is doing it once. */
export function releaseBody(request: IncomingMessage): void {
  heldBytes -= heldBy.get(request) ?? 0;
  heldBy.delete(request);
}

export const bodyBytesHeld = (): number => heldBytes;
