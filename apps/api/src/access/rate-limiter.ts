import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { withTimeout } from '@donorlens/primitives';
import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../http/problem';
import { COUNTER_OPTIONS, openSharedCounter, type RequestCounter, type SharedCounter } from './rate-limit.store';

/** Maximum time that the start of the api waits for the shared counter. */
const OPEN_TIMEOUT_MS = 2_000;
/** After a failure of the shared counter, this process counts by itself for this time. */
const STORE_RETRY_MS = 2_000;
const MAX_BLOCKED_KEYS = 10_000;

export interface RateState {
  readonly isAllowed: boolean;
  /** Requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the minute ends, rounded up. */
  readonly resetSeconds: number;
}

/**
 * Counts the requests of each API key per minute, in one counter for all api processes. A key that has reached its
 * limit is rejected from memory until the minute ends. While the shared counter fails, each process counts by itself.
 */
@Injectable()
export class RateLimiter implements OnModuleInit, BeforeApplicationShutdown {
  /** Maximum time that a request waits for the shared counter. */
  storeTimeoutMs = 200;
  private readonly local: RequestCounter = new RateLimiterMemory(COUNTER_OPTIONS);
  private readonly blocked = new LRUCache<string, RateState & { readonly until: number }>({ max: MAX_BLOCKED_KEYS });
  private shared: Promise<SharedCounter> | undefined;
  private retryAt = -Infinity;
  private isReported = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await withTimeout(OPEN_TIMEOUT_MS, () => this.open()).catch((error: unknown) => this.countAlone(error));
  }

  beforeApplicationShutdown(): void {
    this.retryAt = Infinity;
    this.shared?.then(
      (shared) => shared.close(),
      () => undefined,
    );
  }

  /**
   * Counts one request.
   * @param limit - requests per minute, 1 or more
   * @returns the state, without a promise for a key that is known to have reached its limit
   */
  consume(keyId: string, limit: number): RateState | Promise<RateState> {
    const blocked = this.blocked.get(keyId);
    const now = performance.now();
    if (blocked?.limit === limit && now < blocked.until)
      return { ...blocked, resetSeconds: Math.ceil((blocked.until - now) / 1000) };
    return this.count(keyId).then((counted) => this.stateOf(counted, keyId, limit));
  }

  private stateOf({ consumedPoints, msBeforeNext }: RateLimiterRes, keyId: string, limit: number): RateState {
    const state = {
      isAllowed: consumedPoints <= limit,
      limit,
      remaining: Math.max(0, limit - consumedPoints),
      resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    };
    if (consumedPoints >= limit)
      this.blocked.set(keyId, { ...state, isAllowed: false, until: performance.now() + msBeforeNext });
    return state;
  }

  private async count(keyId: string): Promise<RateLimiterRes> {
    if (performance.now() >= this.retryAt) {
      try {
        const counted = await withTimeout(this.storeTimeoutMs, async () => (await this.open()).consume(keyId));
        this.isReported = false;
        return counted;
      } catch (error) {
        this.countAlone(error);
      }
    }
    return this.local.consume(keyId);
  }

  private open(): Promise<SharedCounter> {
    if (this.shared === undefined) {
      this.shared = openSharedCounter(this.config, this.pool);
      this.shared.catch(() => (this.shared = undefined));
    }
    return this.shared;
  }

  private countAlone(err: unknown): void {
    this.retryAt = Math.max(this.retryAt, performance.now() + STORE_RETRY_MS);
    if (!this.isReported)
      this.logger.warn(
        { err },
        'shared rate-limit counter failed: this process counts requests by itself until the counter answers',
      );
    this.isReported = true;
  }
}

/**
 * `RateLimit` and `RateLimit-Policy` of the IETF draft: quota and window, remaining requests and seconds to the reset.
 */
export const rateHeaders = ({ limit, remaining, resetSeconds }: RateState): Record<string, string> => ({
  'ratelimit-policy': `"requests";q=${limit};w=60`,
  ratelimit: `"requests";r=${remaining};t=${resetSeconds}`,
});

/** @param client - name of the limited client in the message */
export const rateLimited = (state: RateState, client = 'This key'): Problem =>
  new Problem('rate-limited', `${client} may send ${state.limit} request${state.limit === 1 ? '' : 's'} a minute.`, {
    headers: { ...rateHeaders(state), 'retry-after': String(state.resetSeconds) },
  });
