import { Client, type ClientConfig } from 'pg';

/**
 * A connection behind a pooler of transactions: statements that are prepared by name go without their names, since the
 * next transaction may be another session's, which knows none of them, or another's of that name. They are planned anew
 * each time.
 */
export class NamelessClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (first: unknown, ...rest: readonly unknown[]) => unknown;
    // A function of its own, because no one signature covers the overloads of the one that it stands for.
    this.query = ((first: unknown, ...rest: readonly unknown[]) => query(nameless(first), ...rest)) as Client['query'];
  }
}

const nameless = (first: unknown): unknown => (isNamed(first) ? { ...first, name: undefined } : first);

/** Streams and cursors bring their own submit() and have no name. */
const isNamed = (first: unknown): first is object =>
  typeof first === 'object' && first !== null && 'name' in first && !('submit' in first);
