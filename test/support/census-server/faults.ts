import { type Address, canonical } from './address';
import { type CallKind } from './call-kind';
import { dice } from './draws';

/** Faults that replace the answer. The first one that applies is used. */
export const ENDINGS = [
  'hang', // no answer, ever
  'no-reply', // the connection is closed without a byte
  'reset', // the connection is reset without a byte
  '500',
  '503',
  '429',
  'redirect',
  'html', // a maintenance page with 200
  'json-error', // an error document, with 200
  'huge', // an answer of many megabytes
] as const;
/** Faults of the delivery. */
export const DELIVERIES = ['latency', 'drip', 'reset-midway'] as const;
/** Faults of the rows of a batch answer; several may apply. */
export const ROW_FAULTS = [
  'missing-rows', // about a tenth, at least one
  'duplicate-rows', // some rows are repeated unchanged
  'conflicting-rows', // some ids appear a second time with another outcome
  'unknown-ids', // rows with ids that were not sent
  'misattributed', // rows with the id of another row
  'blank-geographies', // matches whose last four fields are empty
  'blank-lines', // empty lines between the rows and after the last
  'input-order', // not shuffled
  'truncated', // the text ends in the middle of a row
] as const;
/** Faults of the answer to a single lookup. */
const SINGLE_FAULTS = ['layer-error'] as const;

export const FAULT_NAMES = [...ENDINGS, ...DELIVERIES, ...ROW_FAULTS, ...SINGLE_FAULTS] as const;
export type FaultName = (typeof FAULT_NAMES)[number];
/** These delay or reorder the answer, but it stays correct. */
const HARMLESS: readonly FaultName[] = ['latency', 'drip', 'blank-lines', 'input-order'];

/** When a fault applies; default: to every call. */
export interface Strike {
  /** 0 to 1, for each call. */
  readonly probability?: number;
  /** Number of calls to which it applies. */
  readonly next?: number;
  /** Only calls of these kinds; default: all kinds for which the fault is defined. */
  readonly kinds?: readonly CallKind[];
  /** For `latency` and `drip`: milliseconds before the answer, or between its pieces. */
  readonly ms?: number;
  /** For `drip`: bytes in a piece. For `huge`: bytes in all. */
  readonly bytes?: number;
  /** For `429` and `503`: seconds, or a date. Default: no header. */
  readonly retryAfter?: number | Date;
  /** For `redirect`: the target URL. */
  readonly to?: string;
}

export type Poison = '500' | 'reset' | 'hang';

interface Armed extends Strike {
  left: number;
  readonly roll: () => number;
}

/** The faults of the server. Changes apply to calls that arrive later. */
export class Faults {
  private readonly armed = new Map<FaultName, Armed>();
  private readonly poisoned = new Map<string, Poison>();

  constructor(private readonly seed: number) {}

  /** @example set('hang'); set('500', { probability: 0.3 }); set('429', { next: 2, kinds: ['batch'] }) */
  set(name: FaultName, strike: Strike = {}): void {
    this.armed.set(name, { ...strike, left: strike.next ?? Infinity, roll: dice(`${this.seed} ${name}`) });
  }

  /** @param name - default: all faults, and poison addresses */
  clear(name?: FaultName): void {
    if (name) this.armed.delete(name);
    else [this.armed, this.poisoned].forEach((map) => map.clear());
  }

  /** From now on every call with this address, in any spelling, fails in this way. */
  poison(address: Address, how: Poison = '500'): void {
    this.poisoned.set(canonical(address), how);
  }

  cure(address: Address): void {
    this.poisoned.delete(canonical(address));
  }

  /** @param addresses - in canonical form */
  poisonIn(addresses: readonly string[]): Poison | undefined {
    if (this.poisoned.size === 0) return undefined;
    const struck = addresses.find((address) => this.poisoned.has(address));
    return struck === undefined ? undefined : this.poisoned.get(struck);
  }

  /** Returns how the fault applies to this call, or null. Decrements `next` if it applies. */
  strikes(name: FaultName, kind: CallKind): Strike | null {
    const armed = this.armed.get(name);
    if (!armed || armed.left === 0 || (armed.kinds && !armed.kinds.includes(kind))) return null;
    if (armed.roll() >= (armed.probability ?? 1)) return null;
    armed.left--;
    return armed;
  }
}

export const hurts = (name: FaultName): boolean => !HARMLESS.includes(name);
