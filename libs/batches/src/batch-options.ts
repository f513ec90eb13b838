/** Limits of the pipeline that an operator may set. */
export interface BatchOptions {
  /** Items that travel in one job. */
  readonly chunkRows: number;
  /** How long results stay after a batch has finished. */
  readonly ttlHours: number;
}

/** Injection token. */
export const BATCH_OPTIONS = Symbol('batch-options');
