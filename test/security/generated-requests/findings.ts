import { type WireRequest } from './ask';

/** What was wrong with an answer, and how to see it again. */
export interface Finding {
  readonly fault: string;
  /** null: nothing was answered. */
  readonly status: number | null;
  /** As it was sent when the fault was first seen. */
  readonly request: WireRequest;
  readonly times: number;
  /** The smallest request that had the same fault when asked again; null: it was not seen again. */
  readonly again: WireRequest | null;
}

/** Every fault that was seen, each kept from the first time on, whether or not it can be seen again. */
export class Findings {
  private readonly found = new Map<string, Finding>();

  get all(): readonly Finding[] {
    return [...this.found.values()];
  }

  /** @returns whether it is new */
  keep(fault: string, status: number | null, request: WireRequest): boolean {
    const known = this.found.get(fault) ?? { fault, status, request, times: 0, again: null };
    this.found.set(fault, { ...known, times: known.times + 1 });
    return known.times === 0;
  }

  /** The request was asked again, and had these faults. */
  repeat(faults: readonly string[], request: WireRequest): void {
    for (const fault of faults) {
      const known = this.found.get(fault);
      if (known && known.times > 1 && known.again === null) this.found.set(fault, { ...known, again: request });
    }
  }

  /** Those of the given faults that no request has shown again so far. */
  notSeenAgain(faults: Iterable<string>): readonly Finding[] {
    return [...faults].flatMap((fault) => this.found.get(fault) ?? []).filter(({ again }) => again === null);
  }
}
