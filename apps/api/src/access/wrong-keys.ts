import { Inject, Injectable } from '@nestjs/common';
import { type KeyIdentity, KeyRing } from '@donorlens/access-keys';
import { LOGGER, type Logger, observeWrongKey } from '@donorlens/observability';
import ipaddr from 'ipaddr.js';
import { type FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Problem } from '../http/problem';

/** Wrong keys that a client network may send per minute before it is blocked. */
export const MAX_WRONG_KEYS = 20;
const WINDOW_MS = 60_000;
/** Blocks of one network last 1, 2, 4 … minutes, up to this time. */
const MAX_BLOCK_MS = 60 * 60_000;
/** A network is removed an hour after its longest block. */
const FORGET_MS = 2 * MAX_BLOCK_MS;
/** Uses a few megabytes. KeyRing limits the lookups of a client that uses more networks. */
const MAX_NETWORKS = 10_000;

interface Attempts {
  wrongKeys: number;
  blocks: number;
  windowEnd: number;
  blockEnd: number;
}

/** Counts wrong keys by client network; times are monotonic milliseconds. */
export class WrongKeyCounter {
  private readonly networks = new LRUCache<string, Attempts>({ max: MAX_NETWORKS, ttl: FORGET_MS });

  /** Counts one wrong key. @returns blockedMs: remaining block, 0 if the key may be looked up */
  count(network: string, now: number): { readonly blockedMs: number; readonly isNewBlock: boolean } {
    const attempts = this.networks.get(network) ?? { wrongKeys: 0, blocks: 0, windowEnd: 0, blockEnd: 0 };
    if (now < attempts.blockEnd) return { blockedMs: attempts.blockEnd - now, isNewBlock: false };
    if (now >= attempts.windowEnd) Object.assign(attempts, { wrongKeys: 0, windowEnd: now + WINDOW_MS });
    const isNewBlock = attempts.wrongKeys >= MAX_WRONG_KEYS;
    if (isNewBlock) {
      attempts.blockEnd = now + Math.min(MAX_BLOCK_MS, WINDOW_MS * 2 ** attempts.blocks);
      attempts.blocks++;
      attempts.windowEnd = 0;
    } else attempts.wrongKeys++;
    this.networks.set(network, attempts);
    return { blockedMs: isNewBlock ? attempts.blockEnd - now : 0, isNewBlock };
  }

  /**
   * Reverts the count of a key that the database lookup found to be valid, or that could not be looked up. Ends a block
   * that began during the lookup: parallel requests with a new key are counted before the lookup has its result.
   */
  revertCount(network: string, now: number): void {
    const attempts = this.networks.get(network);
    if (!attempts || attempts.wrongKeys === 0) return;
    attempts.wrongKeys--;
    if (now >= attempts.blockEnd) return;
    attempts.blocks--;
    Object.assign(attempts, { blockEnd: 0, windowEnd: now + WINDOW_MS });
  }
}

/** The IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one client. */
export function clientNetwork(remoteAddress: string): string {
  if (!ipaddr.isValid(remoteAddress)) return 'unknown';
  const address = ipaddr.process(remoteAddress);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString().replace(/%.*$/, '')}/64`).toString()}/64`;
}

const isPublic = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
const isPrivate = (address: string): boolean => ipaddr.isValid(address) && !isPublic(address);

/**
 * The network of a client, even behind proxies with private addresses. It is then the last public address in
 * X-Forwarded-For. Only proxies append to the end of this header, so a client cannot choose the address.
 * @returns null if it is unknown: a private address may be a proxy of many clients
 */
export function publicNetwork({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string | null {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const hops = [ip, ...forwarded.map((address) => address.trim()).reverse()];
  const client = hops.find((address) => !isPrivate(address));
  return client !== undefined && isPublic(client) ? clientNetwork(client) : null;
}

/**
 * Authenticates keys and limits wrong keys by client network, before any database lookup. A key that this process has
 * loaded always works: behind a proxy all clients share an address, and a wrong key must not block the other clients.
 */
@Injectable()
export class KeyAuthenticator {
  private readonly wrongKeys = new WrongKeyCounter();

  constructor(
    private readonly ring: KeyRing,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    observeWrongKey('checked', 0);
    observeWrongKey('blocked', 0);
  }

  /** @throws Problem 503 if keys cannot be checked at the moment */
  assertUsable(): void {
    if (this.ring.isRestored) throw restored();
    if (!this.ring.isUsable) throw keysUnread();
  }

  /** @returns null for a wrong key. @throws Problem 429, 503, or the error of the database if the lookup fails */
  authenticate(key: string, remoteAddress: string): KeyIdentity | null | Promise<KeyIdentity | null> {
    this.assertUsable();
    let network: string | undefined;
    const found = this.ring.authenticate(key, Date.now(), () => {
      network = clientNetwork(remoteAddress);
      this.count(network);
    });
    if (!(found instanceof Promise)) {
      if (found === null) observeWrongKey('checked');
      return found;
    }
    const revertCount = (): void => {
      if (network !== undefined) this.wrongKeys.revertCount(network, Math.floor(performance.now()));
    };
    return found.then(
      (identity) => {
        if (identity === null) observeWrongKey('checked');
        else revertCount();
        return identity;
      },
      (error: unknown) => {
        revertCount(); // the key may be right
        throw error;
      },
    );
  }

  private count(network: string): void {
    const { blockedMs, isNewBlock } = this.wrongKeys.count(network, Math.floor(performance.now()));
    if (blockedMs === 0) return;
    observeWrongKey('blocked');
    const seconds = Math.ceil(blockedMs / 1000);
    if (isNewBlock)
      this.logger.warn(
        { client: network, seconds },
        `client blocked after ${MAX_WRONG_KEYS} wrong API keys in a minute`,
      );
    throw new Problem(
      'rate-limited',
      `More than ${MAX_WRONG_KEYS} wrong keys a minute came from this address. Correct the key, or wait for Retry-After.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }
}

const restored = (): Problem =>
  new Problem(
    'unavailable',
    'The database was restored. An operator has to check the keys: bin/donorlens keys confirm.',
  );

const keysUnread = (): Problem =>
  new Problem(
    'unavailable',
    'API keys cannot be checked: the database has not answered since this process started. Send the request again later.',
    { headers: { 'retry-after': '5' } },
  );
