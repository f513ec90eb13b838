import { IntakeError } from './intake-error';

export interface PlaceLimits {
  /** Inputs read at a time by this process, and of one key. */
  readonly all: number;
  readonly ofKey: number;
  /** Longest wait for a place. */
  readonly waitMs: number;
}

interface Waiting {
  readonly key: string;
  readonly enter: () => void;
}

/**
 * Bounds how many inputs are read at a time: each may hold a record of megabytes and the chunks before it. Who finds no
 * place is not read any further, which the sender notices as a slow line, until one is free. A key that sends much waits
 * for itself, not others for it.
 */
export class InputPlaces {
  private readonly taken = new Map<string, number>();
  private all = 0;
  private line: readonly Waiting[] = [];

  constructor(private readonly limits: PlaceLimits) {}

  /** @returns gives the place back. @throws IntakeError `busy`, or `aborted` where the sender does not wait */
  async take(key: string, signal?: AbortSignal): Promise<() => void> {
    if (this.isFree(key)) return this.enter(key);
    let end: () => void = () => undefined;
    const entered = new Promise<() => void>((resolve, reject) => {
      const waiting: Waiting = { key, enter: () => resolve(this.enter(key)) };
      const leave = (error: IntakeError): void => {
        this.line = this.line.filter((one) => one !== waiting);
        reject(error);
      };
      const late = setTimeout(() => leave(busy()), this.limits.waitMs);
      const gone = (): void => leave(new IntakeError('aborted', 'the sender went away'));
      signal?.addEventListener('abort', gone, { once: true });
      end = () => {
        clearTimeout(late);
        signal?.removeEventListener('abort', gone);
      };
      this.line = [...this.line, waiting];
    });
    return entered.finally(end);
  }

  private isFree(key: string): boolean {
    return this.all < this.limits.all && (this.taken.get(key) ?? 0) < this.limits.ofKey;
  }

  private enter(key: string): () => void {
    this.all++;
    this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.leave(key);
    };
  }

  private leave(key: string): void {
    this.all--;
    const left = (this.taken.get(key) ?? 0) - 1;
    if (left > 0) this.taken.set(key, left);
    else this.taken.delete(key);
    const next = this.line.find((one) => this.isFree(one.key));
    if (next === undefined) return;
    this.line = this.line.filter((one) => one !== next);
    next.enter();
  }
}

const busy = (): IntakeError =>
  new IntakeError('busy', 'too many inputs arrive at once; try again in a minute', { retryAfterSeconds: 60 });

/** The bytes of an input, of which only the first few are read before it has taken a place. */
export async function* inPlace(
  bytes: AsyncGenerator<Buffer, void>,
  freeBytes: number,
  take: () => Promise<void>,
): AsyncGenerator<Buffer, void> {
  let read = 0;
  let hasPlace = false;
  for await (const piece of bytes) {
    read += piece.length;
    if (read > freeBytes && !hasPlace) {
      await take();
      hasPlace = true;
    }
    yield piece;
  }
}
