import { type Processor, Queue, type QueueOptions, Worker, type WorkerOptions } from 'bullmq';
import { patient } from './connections';
import { within } from './deadline';

const CLOSE_MS = 5_000;

/** A queue whose close always ends: with a server that is away, BullMQ's own waits or throws. */
export class BoundedQueue extends Queue {
  constructor(name: string, opts: QueueOptions) {
    super(name, opts);
    this.setMaxListeners(50);
  }

  override async close(): Promise<void> {
    await within(CLOSE_MS, 'closing the queue', super.close()).catch(() => this.cut());
  }

  private cut(): void {
    void this.getBackend()
      .close(true)
      .catch(() => undefined);
  }
}

/** A worker that waits for a server that is away, and whose close always ends. */
export class BoundedWorker extends Worker {
  private ended: Promise<void> | undefined;

  constructor(name: string, processor: Processor, opts: WorkerOptions) {
    super(name, processor, { ...opts, connection: patient(opts.connection), skipVersionCheck: false });
  }

  /** Waits for active jobs; after 5 s the connections are cut under them. Their chunks come back by their leases. */
  override close(force = false): Promise<void> {
    this.ended ??= within(CLOSE_MS, 'closing the worker', super.close(force)).catch(() => this.cut());
    return this.ended;
  }

  private cut(): Promise<void> {
    return within(CLOSE_MS, 'cutting the worker', this.getBackend().close(true)).catch(() => undefined);
  }
}
