import { type Processor, Queue, type QueueOptions, type RedisQueueBackend, Worker, type WorkerOptions } from 'bullmq';
import { reconnecting } from './connections';
import { QueueAwayError, withQueueTimeout } from './queue-away-error';

const CLOSE_MS = 5_000;

/** A queue whose close always ends. It disconnects at once: BullMQ's own close waits for a server that is away. */
export class ForceCloseableQueue extends Queue {
  /**
   * @throws QueueAwayError if Nest has no options because their factory failed: BullMQ would connect to a default Redis
   */
  constructor(name: string, opts?: QueueOptions) {
    if (!opts?.connection)
      throw new QueueAwayError(`queue ${name} has no server: its configuration failed, see the error before`);
    super(name, opts);
  }

  override async close(): Promise<void> {
    this.closing ??= forceDisconnect(this);
    await this.closing;
    this.closed = true;
  }
}

/** A worker that waits for a server that is away, and whose close always ends. */
export class ForceCloseableWorker extends Worker {
  private ended: Promise<void> | undefined;

  private readonly connection: { isDisconnected: boolean };

  constructor(name: string, processor: Processor, opts: WorkerOptions) {
    const connection = { isDisconnected: false };
    super(name, processor, {
      ...opts,
      connection: reconnecting(opts.connection, () => connection.isDisconnected),
      skipVersionCheck: false,
    });
    this.connection = connection;
  }

  /** Waits 5 s for active jobs, then disconnects. Their chunks are processed again when their leases expire. */
  override close(force = false): Promise<void> {
    this.ended ??= withQueueTimeout(CLOSE_MS, 'closing the worker', super.close(force))
      .catch(() => Promise.all([forceDisconnect(this), this.lockManager.close()]))
      .then(() => void (this.connection.isDisconnected = true));
    return this.ended;
  }
}

/** Disconnects without QUIT, also the connections that a running close() waits for. */
async function forceDisconnect(owner: {
  getBackend(): Partial<RedisQueueBackend> & { close(force: boolean): Promise<void> };
}) {
  const backend = owner.getBackend();
  const closed = backend.close(true);
  // Only Redis has these. close(true) ends a connection that was never made; only disconnect() ends one that was lost.
  void backend.client?.then((client) => client.disconnect()).catch(() => undefined);
  void backend.blockingClient?.then((client) => client.disconnect()).catch(() => undefined);
  await withQueueTimeout(CLOSE_MS, 'cutting the connections', closed).catch(() => undefined);
}
