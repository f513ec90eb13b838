import { type WireRequest } from './request-sender';

/** A fault of an answer, with the requests that reproduce it. */
export interface Finding {
  readonly fault: string;
  /** null: no answer. */
  readonly status: number | null;
  /** The request that first had the fault. */
  readonly request: WireRequest;
  readonly times: number;
  /** The smallest request that reproduced the fault; null: none did. */
  readonly repetition: WireRequest | null;
}

/** All faults, also those that could not be reproduced. */
export class Findings {
  private readonly found = new Map<string, Finding>();

  get all(): readonly Finding[] {
    return [...this.found.values()];
  }

  /** @returns whether it is new */
  add(fault: string, status: number | null, request: WireRequest): boolean {
    const known = this.found.get(fault) ?? { fault, status, request, times: 0, repetition: null };
    this.found.set(fault, { ...known, times: known.times + 1 });
    return known.times === 0;
  }

  /** Records that a repeated request had these faults. */
  markRepeated(faults: readonly string[], request: WireRequest): void {
    for (const fault of faults) {
      const known = this.found.get(fault);
      if (known && known.times > 1 && known.repetition === null)
        this.found.set(fault, { ...known, repetition: request });
    }
  }

  /** Those of the given faults that no request has reproduced so far. */
  notRepeated(faults: Iterable<string>): readonly Finding[] {
    return [...faults].flatMap((fault) => this.found.get(fault) ?? []).filter(({ repetition }) => repetition === null);
  }
}
