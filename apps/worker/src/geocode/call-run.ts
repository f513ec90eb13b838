import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import {
  CALL_LEASE_MS,
  type CallResults,
  CallRepository,
  type ClaimedCall,
  GEOCODER,
  type Geocoder,
  runCall,
} from '@donorlens/geocoding';
import { AddressKeys } from '@donorlens/locations';

const HEARTBEAT_MS = 10_000; // a third of the lease: one heartbeat may fail

/** Makes a call, and extends its lease by heartbeats until it ends. */
@Injectable()
export class CallRun {
  private readonly running = new Set<AbortController>();
  private stopped = false;

  constructor(
    private readonly calls: CallRepository,
    @Inject(GEOCODER) private readonly geocoder: Geocoder,
    private readonly keys: AddressKeys,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** True after `stop`: every call must be released. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Aborts active calls and every later call. */
  stop(): void {
    this.stopped = true;
    for (const call of this.running) call.abort();
  }

  /**
   * @returns null if the lease was lost: another worker makes the call
   * @throws GeocoderError if the geocoder gave no answer, or if the call was aborted
   */
  async results(call: ClaimedCall): Promise<CallResults | null> {
    const work = new AbortController();
    let isLost = false;
    const abortAfterLeaseLoss = (): void => {
      isLost = true;
      work.abort();
    };
    const heartbeat = setInterval(() => void this.extend(call, abortAfterLeaseLoss), HEARTBEAT_MS);
    this.running.add(work);
    if (this.stopped) work.abort();
    try {
      const { geocoder, keys } = this;
      return await runCall(call, { geocoder, keys, signal: work.signal, budgetMs: this.config.geocoder.budgetMs });
    } catch (error) {
      if (isLost) return null;
      throw error;
    } finally {
      clearInterval(heartbeat);
      this.running.delete(work);
    }
  }

  /** An error of the database does not mean that the lease is lost. */
  private async extend(call: ClaimedCall, lose: () => void): Promise<void> {
    const isOurs = await this.calls.extendLease(call, CALL_LEASE_MS).catch(() => true);
    if (!isOurs) lose();
  }
}

/**
 * Wakes jobs of this process that wait for a geocoder slot when a call of the same process frees one. Slots are counted
 * in Postgres for all workers; those that other workers free are found by polling.
 */
export class SlotSignal {
  private freed = new AbortController();

  /** Waits until a call of this process frees a slot, or for `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.freed.signal }).catch(() => undefined);
  }

  slotFreed(): void {
    this.freed.abort();
    this.freed = new AbortController();
  }
}
