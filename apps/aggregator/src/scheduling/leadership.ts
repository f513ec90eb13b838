import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { LEASE_SECONDS, LeaseRepository } from '@donorlens/database';
import { LEADER_LEASE } from '@donorlens/operations';

export const LEASE = LEADER_LEASE;
const RENEW_MS = 5_000;
const ASK_MS = 1_000;
const TRUST_MS = (LEASE_SECONDS - 2) * 1_000; // counted from before the renewal was sent, on a clock that never stops

/** One unbroken time of leading. Its epoch goes with every write that must not come from a former leader. */
export interface Term {
  readonly epoch: string;
  /** Aborted when the term ends. */
  readonly signal: AbortSignal;
  /** False also where the lease may have run out unnoticed, as in a process that was frozen. */
  isCurrent(): boolean;
}

/**
 * Makes one aggregator of many the leader. A leader that dies is followed after 15 s, one that is closed at once. One
 * that is frozen and wakes up sees by its own clock that its time is over; what it had already sent is refused by epoch.
 */
@Injectable()
export class Leadership implements BeforeApplicationShutdown {
  private readonly holder = `${hostname()}.${process.pid}.${randomUUID().slice(0, 8)}`;
  private epoch: string | null = null;
  private term = new AbortController();
  private renewedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly errors: ErrorLog;

  constructor(
    private readonly leases: LeaseRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'lease');
  }

  /** Asks once at once, and then for as long as the process lives. `lead` is called at the start of each term. */
  async start(lead: (term: Term) => void): Promise<void> {
    await this.step(lead);
    this.schedule(lead);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    const { epoch } = this;
    this.end();
    if (epoch !== null)
      await this.leases.release(LEASE, epoch).catch((err: unknown) => this.logger.warn({ err }, 'lease not released'));
  }

  private schedule(lead: (term: Term) => void): void {
    if (this.closed) return;
    this.timer = setTimeout(() => void this.step(lead).finally(() => this.schedule(lead)), ASK_MS);
  }

  private async step(lead: (term: Term) => void): Promise<void> {
    try {
      if (this.epoch === null) await this.acquire(lead);
      else if (this.age() >= RENEW_MS) await this.renew(this.epoch);
    } catch (err) {
      this.errors.report(err);
    }
    if (this.epoch !== null && this.age() >= TRUST_MS) this.lose('it could not be renewed in time');
  }

  private async acquire(lead: (term: Term) => void): Promise<void> {
    const asked = performance.now();
    const epoch = await this.leases.acquire(LEASE, this.holder);
    if (epoch === null || this.closed) return;
    this.epoch = epoch;
    this.renewedAt = asked;
    this.term = new AbortController();
    const { signal } = this.term;
    this.logger.info({ epoch }, 'leading');
    lead({ epoch, signal, isCurrent: () => !signal.aborted && this.age() < TRUST_MS });
  }

  private async renew(epoch: string): Promise<void> {
    const asked = performance.now();
    if (await this.leases.renew(LEASE, epoch)) this.renewedAt = asked;
    else this.lose('another one leads');
  }

  private age(): number {
    return performance.now() - this.renewedAt;
  }

  private lose(why: string): void {
    this.logger.warn({ epoch: this.epoch }, `no longer leading: ${why}`);
    this.end();
  }

  private end(): void {
    this.epoch = null;
    this.term.abort();
  }
}
