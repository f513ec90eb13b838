/** What operators may ask for. */
export const OPS_ACTIONS = ['pause', 'resume', 'redrive', 'retry-addresses', 'refresh', 'cancel-batch'] as const;
export type OpsAction = (typeof OPS_ACTIONS)[number];

/** What can be refreshed now. */
export const REFRESHED = ['reference-data', 'fec', 'filings', 'charts'] as const;
export type SourceKind = (typeof REFRESHED)[number];

/** What an action is about: a queue, a source of data, an outcome of addresses, or a batch. */
export interface OpsTarget {
  readonly queue?: string;
  readonly source?: string;
  readonly outcome?: string;
  readonly batch?: string;
}

export type OpsState = 'asked' | 'running' | 'done' | 'failed';

/** A request that the leader has taken. */
export interface OpsRequest {
  readonly id: string;
  readonly action: OpsAction;
  readonly target: OpsTarget;
  readonly actor: string;
  /** Of the leader that took it: a former one cannot end it. */
  readonly epoch: string;
}

/** One line of the audit: what an operator asked for, with what became of it, or what else was changed by whom. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** Name of a key, or whoever acted. */
  readonly actor: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Null: it was done when it was written down. */
  readonly state: OpsState | null;
  readonly finishedAt: Date | null;
  /** What became of a request. */
  readonly outcome: Readonly<Record<string, unknown>> | null;
}
