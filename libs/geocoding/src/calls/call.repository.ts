import { type Pool } from 'pg';
import { type KeySettings } from '@donorlens/locations';
import {
  type ApplyOutcomes,
  type CallFault,
  type CallOptions,
  type CallResults,
  type Claim,
  type ClaimedCall,
} from './call';
import { claimCall, dequeue } from './call-claim.repository';
import { commitCall } from './call-commit.repository';
import { failCall, freeExpiredCalls } from './call-failure.repository';
import { formPendingCalls } from './call-forming.repository';
import { HELD, heldBy } from './call-lease.repository';
import {
  type RetriedCalls,
  dueCalls,
  isIdle,
  lostCalls,
  markCallsEnqueued,
  retryFailedCalls,
} from './call-queue.repository';

/**
 * Calls to the geocoder: their addresses, their leases, and the rate limit that all processes share. Transactions lock
 * rows in this order: a call, its addresses by key, locations, the rows that wait for them, batches, the geocoder's
 * row. A claim locks the geocoder's row first and then its call with SKIP LOCKED, so that it never waits for a call.
 */
export class CallRepository {
  constructor(
    private readonly pool: Pool,
    private readonly options: CallOptions,
  ) {}

  /** Forms calls from pending addresses, a few more than run at a time. @returns calls formed */
  formCalls(): Promise<number> {
    return formPendingCalls(this.pool, this.options);
  }

  /** True if there are no calls, no addresses to put into calls, and no errors that are due for a retry. */
  isIdle(): Promise<boolean> {
    return isIdle(this.pool);
  }

  /** Releases calls whose lease has expired; they are retried or split. @returns how many */
  freeExpired(): Promise<number> {
    return freeExpiredCalls(this.pool);
  }

  /** Ids of calls that need a job now: while the circuit is open only its probe. */
  findDue(limit: number): Promise<readonly string[]> {
    return dueCalls(this.pool, this.options, limit);
  }

  /** Ids of calls whose job was added so many seconds ago and that no worker has taken. */
  findLost(seconds: number, limit: number): Promise<readonly string[]> {
    return lostCalls(this.pool, seconds, limit);
  }

  markEnqueued(ids: readonly string[]): Promise<void> {
    return markCallsEnqueued(this.pool, ids);
  }

  /** Leases a call if it may start now. */
  claim(id: string): Promise<Claim> {
    return claimCall(this.pool, this.options, id);
  }

  /** A call whose job ends before it may start gets another job at once. */
  dequeue(id: string): Promise<void> {
    return dequeue(this.pool, id);
  }

  /** False if the lease is lost: the caller must stop working on the call. */
  async extendLease(call: ClaimedCall, leaseMs: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update geocode_call set lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0) where ${HELD}`,
      [...heldBy(call), leaseMs],
    );
    return rowCount === 1;
  }

  /**
   * Stores the results of a call and applies them to the rows that wait, in one transaction. A call whose
   * requested addresses all stayed unanswered has failed; one without requested addresses is released.
   * @param slotFreed - called as soon as another call may run, before this one is stored
   * @returns false if the lease was lost: then nothing is written
   * @throws errors of the database or of `apply`. If COMMIT got no answer, the call is read again, so that a stored one
   *   returns true
   */
  async commit(
    call: ClaimedCall,
    results: CallResults,
    apply: ApplyOutcomes,
    slotFreed?: () => void,
  ): Promise<boolean> {
    if (results.geocoded.length + results.ties.length > 0)
      return commitCall(this.pool, this.options, call, results, { apply, slotFreed });
    const [code] = results.unanswered.values();
    return code === undefined ? this.releaseLease(call) : this.fail(call, { code, retryAfterMs: null });
  }

  /**
   * Records a failed call: it is retried, split, or its address becomes an error.
   * @returns false if the lease was lost
   */
  fail(call: ClaimedCall, fault: CallFault): Promise<boolean> {
    return failCall(this.pool, this.options, call, fault);
  }

  /** Returns a call that was aborted through no fault of its own. @returns false if the lease was lost */
  async releaseLease(call: ClaimedCall): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update geocode_call set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null where ${HELD}`,
      heldBy(call),
    );
    return rowCount === 1;
  }

  /** Makes addresses that are errors pending again, without failures. @returns how many */
  async retryErrors(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update geocode_address set error_code = null, retry_at = null, failures = 0 where error_code is not null`,
    );
    return rowCount ?? 0;
  }

  /** Retries failed calls at once, on request of an operator. */
  retryFailedCalls(): Promise<RetriedCalls> {
    return retryFailedCalls(this.pool);
  }

  /** True while the geocoder refuses these settings, so that their calls wait. */
  async isRefused({ benchmark, vintage }: KeySettings): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select 1 from geocoder where refused_benchmark = $1 and refused_vintage = $2`,
      [benchmark, vintage],
    );
    return rowCount === 1;
  }

  /**
   * Stores whether the geocoder refuses these settings; meanwhile none of their calls starts. If it accepts them, a
   * stored refusal of other settings is removed as well, unless addresses wait that would be requested under them.
   * @param reason - of the refusal; null if the settings are accepted
   */
  async setRefused({ benchmark, vintage }: KeySettings, reason: string | null): Promise<void> {
    const settings = [benchmark, vintage];
    if (reason !== null)
      await this.pool.query(`update geocoder set refused_reason = $3, refused_benchmark = $1, refused_vintage = $2`, [
        ...settings,
        reason,
      ]);
    else
      await this.pool.query(
        `update geocoder set refused_reason = null, refused_benchmark = null, refused_vintage = null
         where refused_reason is not null and ((refused_benchmark = $1 and refused_vintage = $2)
           or not exists (select from geocode_address where benchmark = refused_benchmark and vintage = refused_vintage))`,
        settings,
      );
  }
}
