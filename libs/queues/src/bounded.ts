import { type Processor, Queue, type QueueOptions, type RedisQueueBackend, Worker, type WorkerOptions } from 'bullmq';
import { patient } from './connections';
import { QueueAwayError, within } from './deadline';

const CLOSE_MS = 5_000;

/** A queue whose close always ends. It cuts its connection: BullMQ's own farewell waits for a server that is away. */
export class BoundedQueue extends Queue {
  /** @throws where Nest has no options for it, as their factory failed: BullMQ would go to a Redis that nobody named */
  constructor(name: string, opts?: QueueOptions) {
    if (!opts?.connection) throw new QueueAwayError('the queue has no server');
    super(name, opts);
  }

  override async close(): Promise<void> {
    this.closing ??= cut(this);
    await this.closing;
    this.closed = true;
  }
}

/** A worker that waits for a server that is away, and whose close always ends. */
export class BoundedWorker extends Worker {
  private ended: Promise<void> | undefined;

  private readonly life: { cut: boolean };

  constructor(name: string, processor: Processor, opts: WorkerOptions) {
    const life = { cut: false };
    super(name, processor, {
      ...opts,
      connection: patient(opts.connection, () => life.cut),
      skipVersionCheck: false,
    });
    this.life = life;
  }

  /** Waits for active jobs; after 5 s the connections are cut under them. Their chunks come back by their leases. */
  override close(force = false): Promise<void> {
    this.ended ??= within(CLOSE_MS, 'closing the worker', super.close(force))
      .catch(() => Promise.all([cut(this), this.lockManager.close()]))
      .then(() => void (this.life.cut = true));
    return this.ended;
  }
}

/** Ends the connections without a farewell; also those that a close under way waits for. */
async function cut(owner: { getBackend(): Partial<RedisQueueBackend> & { close(force: boolean): Promise<void> } }) {
  const backend = owner.getBackend();
  const closed = backend.close(true);
  // Only Redis has these. A connection that was never made ends by close(true), one that was lost only by this.
  void backend.client?.then((client) => client.disconnect()).catch(() => undefined);
  void backend.blockingClient?.then((client) => client.disconnect()).catch(() => undefined);
  await within(CLOSE_MS, 'cutting the connections', closed).catch(() => undefined);
}
