/** A call of a role's to Postgres or Redis. */
export interface Call {
  readonly server: 'postgres' | 'redis';
  /** What it does, alike in every process and for every value. */
  readonly name: string;
  /** Something is different afterwards: in Postgres, from its commit on. */
  readonly writes: boolean;
  /** Closes the connection that it goes by. */
  readonly cut: () => void;
}

/** Stands between a role and its servers. */
export interface Visitor {
  /** It is about to be sent. */
  before(call: Call): void;
  /** A part of it has been sent, or has arrived: rows of a COPY. */
  during(call: Call): void;
  /** It has been done, and whoever made it does not know yet. @returns what to tell instead */
  after(call: Call): Error | undefined;
}
