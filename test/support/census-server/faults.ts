import { type Address, canonical } from './address';
import { type CallKind } from './call-kind';
import { dice } from './draws';

/** What the service does instead of answering. The first one that strikes is the one that happens. */
export const ENDINGS = [
  'hang', // no answer, ever
  'no-reply', // the connection is closed without a byte
  'reset', // the connection is reset without a byte
  '500',
  '503',
  '429',
  'redirect',
  'html', // a page that says sorry, with 200
  'json-error', // an error document, with 200
  'huge', // an answer without an end to speak of
] as const;
/** What happens to the answer's bytes on their way. */
export const DELIVERIES = ['latency', 'drip', 'reset-midway'] as const;
/** What is wrong with the rows of a batch's answer; several may be. */
export const ROW_FAULTS = [
  'missing-rows', // about a tenth, at least one
  'duplicate-rows', // some rows are there twice, word for word
  'conflicting-rows', // some ids are there twice, the second time with another outcome
  'unknown-ids', // rows with ids that were not sent
  'misattributed', // rows under the id of another one
  'blank-geographies', // matches whose last four fields are empty
  'blank-lines', // empty lines between the rows and behind the last
  'input-order', // not shuffled
  'truncated', // the text ends in the middle of a row
] as const;
/** What is wrong with a single lookup's answer. */
const SINGLE_FAULTS = ['layer-error'] as const;

export const FAULT_NAMES = [...ENDINGS, ...DELIVERIES, ...ROW_FAULTS, ...SINGLE_FAULTS] as const;
export type FaultName = (typeof FAULT_NAMES)[number];
/** These take time or look odd, and the answer is right all the same. */
const HARMLESS: readonly FaultName[] = ['latency', 'drip', 'blank-lines', 'input-order'];

/** When a fault strikes: always, unless it is said how often. */
export interface Strike {
  /** 0 to 1, for each call. */
  readonly probability?: number;
  /** The next so many calls, and then never again. */
  readonly next?: number;
  /** Only calls of these kinds; all that the fault makes sense for if left out. */
  readonly kinds?: readonly CallKind[];
  /** For `latency` and `drip`: milliseconds before the answer, or between its pieces. */
  readonly ms?: number;
  /** For `drip`: bytes in a piece. For `huge`: bytes in all. */
  readonly bytes?: number;
  /** For `429` and `503`: seconds, or a moment. No header if left out. */
  readonly retryAfter?: number | Date;
  /** For `redirect`: where to. */
  readonly to?: string;
}

export type Poison = '500' | 'reset' | 'hang';

interface Armed extends Strike {
  left: number;
  readonly roll: () => number;
}

/** The switchboard of what goes wrong; it may be changed at any time and applies to the calls that come from then on. */
export class Faults {
  private readonly armed = new Map<FaultName, Armed>();
  private readonly poisoned = new Map<string, Poison>();

  constructor(private readonly seed: number) {}

  /** @example set('hang'); set('500', { probability: 0.3 }); set('429', { next: 2, retryAfter: 1, kinds: ['batch'] }) */
  set(name: FaultName, strike: Strike = {}): void {
    this.armed.set(name, { ...strike, left: strike.next ?? Infinity, roll: dice(`${this.seed} ${name}`) });
  }

  /** @param name all of them, poison included, if left out */
  clear(name?: FaultName): void {
    if (name) this.armed.delete(name);
    else [this.armed, this.poisoned].forEach((map) => map.clear());
  }

  /** From now on any call that has this address, in whatever spelling, ends like this. */
  poison(address: Address, how: Poison = '500'): void {
    this.poisoned.set(canonical(address), how);
  }

  cure(address: Address): void {
    this.poisoned.delete(canonical(address));
  }

  /** @param addresses in their canonical form */
  poisonIn(addresses: readonly string[]): Poison | undefined {
    if (this.poisoned.size === 0) return undefined;
    const struck = addresses.find((address) => this.poisoned.has(address));
    return struck === undefined ? undefined : this.poisoned.get(struck);
  }

  /** Whether the fault strikes this call, and how. Asking takes one of `next` away. */
  strikes(name: FaultName, kind: CallKind): Strike | null {
    const armed = this.armed.get(name);
    if (!armed || armed.left === 0 || (armed.kinds && !armed.kinds.includes(kind))) return null;
    if (armed.roll() >= (armed.probability ?? 1)) return null;
    armed.left--;
    return armed;
  }
}

export const hurts = (name: FaultName): boolean => !HARMLESS.includes(name);
