import { type Pool } from 'pg';
import { type KeySettings } from '@donorlens/locations';
import { type CallOptions } from './call-options';
import { dueCalls, isIdle, lostCalls, markCallsEnqueued } from './call-queue';
import { type CallFault, type CallResults, type Settle } from './call-results';
import { type Claim, type ClaimedCall } from './claimed-call';
import { claimCall, leaveLine } from './claiming';
import { commitCall } from './committing';
import { freeExpiredCalls } from './expiring';
import { failCall } from './failing';
import { gatherCalls } from './gathering';
import { HELD, heldBy } from './held-call';
import { type Redriven, redriveCalls } from './redriving';

/** What a call is that was answered, though for none of its addresses. */
const NO_ANSWER = { code: 'unanswered', retryAfterMs: null };

/**
 * Calls to the geocoder, as Postgres knows them: which addresses travel in which, who runs them, and what all processes
 * together may ask of the geocoder. Rows are locked in this order: a call, its addresses by key, what waits for them,
 * locations, batches, the geocoder's row. A claim begins with the last, and so waits for no other.
 */
export class CallRepository {
  constructor(
    private readonly pool: Pool,
    private readonly options: CallOptions,
  ) {}

  /** Makes calls of addresses that wait, a few ahead of those that run. @returns how many */
  gather(): Promise<number> {
    return gatherCalls(this.pool, this.options);
  }

  /** True where there is nothing to gather, to free or to add jobs for. */
  isIdle(): Promise<boolean> {
    return isIdle(this.pool);
  }

  /** Calls whose worker is gone wait again, or are cut in halves. @returns how many */
  freeExpired(): Promise<number> {
    return freeExpiredCalls(this.pool);
  }

  /** Ids of calls to add jobs for now: none while the circuit is open, but for its probe. */
  due(limit: number): Promise<readonly string[]> {
    return dueCalls(this.pool, this.options, limit);
  }

  /** Ids of calls whose job was added so many seconds ago and that nobody has taken. */
  lost(seconds: number, limit: number): Promise<readonly string[]> {
    return lostCalls(this.pool, seconds, limit);
  }

  markEnqueued(ids: readonly string[]): Promise<void> {
    return markCallsEnqueued(this.pool, ids);
  }

  /** Takes a call for as long as its lease is extended, where it may start now. */
  claim(id: string): Promise<Claim> {
    return claimCall(this.pool, this.options, id);
  }

  /** A call whose job ends before its turn has come is to get another job at once. */
  leaveLine(id: string): Promise<void> {
    return leaveLine(this.pool, id);
  }

  /** False where the lease is lost: stop working on the call. */
  async extend(call: ClaimedCall, leaseMs: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update geocode_call set lease_until = clock_timestamp() + make_interval(secs => $3 / 1000.0) where ${HELD}`,
      [...heldBy(call), leaseMs],
    );
    return rowCount === 1;
  }

  /**
   * Stores what a call found and tells whoever waits, in one transaction. A call without any answer has failed.
   * @param slotLeft called as soon as another call may run in this one's place, before it is stored
   * @returns false where the lease was lost: then nothing is written
   * @throws  what the database or settle says; a COMMIT that got no answer is looked at again, so that true is true
   */
  async commit(call: ClaimedCall, results: CallResults, settle: Settle, slotLeft?: () => void): Promise<boolean> {
    if (results.located.length + results.ties.length > 0)
      return commitCall(this.pool, this.options, call, results, { settle, slotLeft });
    const [code] = results.unanswered.values();
    return code === undefined ? this.giveBack(call) : this.fail(call, { ...NO_ANSWER, code });
  }

  /** Nothing came of the call: it is tried again, cut in halves, or left for later. @returns false where the lease was lost */
  fail(call: ClaimedCall, fault: CallFault): Promise<boolean> {
    return failCall(this.pool, this.options, call, fault);
  }

  /** Lets go of a call that was not run to its end, and not for its sake. @returns false where the lease was lost */
  async giveBack(call: ClaimedCall): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update geocode_call set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null where ${HELD}`,
      heldBy(call),
    );
    return rowCount === 1;
  }

  /** Addresses that are errors wait again, as if never asked. @returns how many */
  async retryErrors(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update geocode_address set error_code = null, retry_at = null, failures = 0 where error_code is not null`,
    );
    return rowCount ?? 0;
  }

  /** An operator does not want to wait: see redriveCalls. */
  redrive(): Promise<Redriven> {
    return redriveCalls(this.pool);
  }

  /** True while calls that are asked under these settings are held. */
  async isRefused({ benchmark, vintage }: KeySettings): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select 1 from geocoder where refused_benchmark = $1 and refused_vintage = $2`,
      [benchmark, vintage],
    );
    return rowCount === 1;
  }

  /**
   * Whether the geocoder knows these settings: while it does not, no call starts that is asked under them. What was said
   * of others is forgotten with a good word for these, unless addresses wait that would be asked under them.
   * @param reason in words; null: it knows them
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
