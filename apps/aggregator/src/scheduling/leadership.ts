import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { type Fence, LEASE_SECONDS, LeaseRepository } from '@donorlens/database';
import { LEADER_LEASE } from '@donorlens/operations';

const RENEW_MS = 5_000;
const POLL_MS = 1_000;
const TRUST_MS = (LEASE_SECONDS - 2) * 1_000; // from before the renewal was sent, by a monotonic clock

/** One uninterrupted period as leader. */
export interface LeadershipTerm {
  /** Lease and fencing token: required for every write that a former leader must not make. */
  readonly fence: Fence & { readonly epoch: string };
  /** Aborted when the term ends. */
  readonly signal: AbortSignal;
  /** False also if the lease may have expired unnoticed, as in a process that was frozen. */
  isCurrent(): boolean;
}

/**
 * Elects one of several aggregators as leader; the others are standbys. A standby takes over within a second if the
 * leader shuts down, and after 15 s if it crashes. A leader that was frozen and resumes finds by its own clock that its
 * term has ended, and the database rejects its late writes because of their fencing token.
 */
@Injectable()
export class Leadership implements BeforeApplicationShutdown {
  private readonly holder = `${hostname()}.${process.pid}.${randomUUID().slice(0, 8)}`;
  private epoch: string | null = null;
  private term = new AbortController();
  private renewedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private currentStep: Promise<void> = Promise.resolve();
  private readonly errors: ErrorLog;

  constructor(
    private readonly leases: LeaseRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'lease');
  }

  /** Tries to become leader at once, then every second until shutdown. Calls `lead` at the start of each term. */
  async start(lead: (term: LeadershipTerm) => void): Promise<void> {
    await this.step(lead);
    this.schedule(lead);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const { epoch } = this;
    this.end();
    await this.currentStep; // its statement could extend or acquire the lease after the release
    if (epoch !== null) await this.release(epoch);
  }

  private async release(epoch: string): Promise<void> {
    await this.leases
      .release(LEADER_LEASE, epoch)
      .catch((err: unknown) => this.logger.warn({ err }, 'lease not released, a standby takes over after 15 s'));
  }

  private schedule(lead: (term: LeadershipTerm) => void): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.step(lead).finally(() => this.schedule(lead)), POLL_MS);
  }

  private step(lead: (term: LeadershipTerm) => void): Promise<void> {
    this.currentStep = this.acquireOrRenew(lead);
    return this.currentStep;
  }

  private async acquireOrRenew(lead: (term: LeadershipTerm) => void): Promise<void> {
    try {
      if (this.epoch === null) await this.acquire(lead);
      else if (this.age() >= RENEW_MS) await this.renew(this.epoch);
    } catch (err) {
      this.errors.report(err);
    }
    if (this.epoch !== null && this.age() >= TRUST_MS) this.endLost('the lease could not be renewed in time');
  }

  private async acquire(lead: (term: LeadershipTerm) => void): Promise<void> {
    const sentAt = performance.now();
    const epoch = await this.leases.acquire(LEADER_LEASE, this.holder);
    if (epoch === null) return;
    if (this.isClosed) return this.release(epoch);
    this.epoch = epoch;
    this.renewedAt = sentAt;
    this.term = new AbortController();
    const { signal } = this.term;
    this.logger.info({ epoch }, 'leader election won, scheduler started');
    lead({ fence: { lease: LEADER_LEASE, epoch }, signal, isCurrent: () => !signal.aborted && this.age() < TRUST_MS });
  }

  private async renew(epoch: string): Promise<void> {
    const sentAt = performance.now();
    if (await this.leases.renew(LEADER_LEASE, epoch)) this.renewedAt = sentAt;
    else this.endLost('another aggregator is the leader');
  }

  private age(): number {
    return performance.now() - this.renewedAt;
  }

  private endLost(why: string): void {
    this.logger.warn({ epoch: this.epoch }, `leadership lost, scheduler stopped: ${why}`);
    this.end();
  }

  private end(): void {
    this.epoch = null;
    this.term.abort();
  }
}
