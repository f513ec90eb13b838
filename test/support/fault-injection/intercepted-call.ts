import { basename, dirname } from 'node:path';

/** A call of a role to Postgres or Redis. */
export interface Call {
  readonly server: 'postgres' | 'redis';
  /** What it does, the same in every process and for every value. */
  readonly name: string;
  /** Whether it changes data; in Postgres from its commit on. */
  readonly writes: boolean;
  /** Closes its connection. */
  readonly cut: () => void;
}

/** Is told of each call. */
export interface CallInterceptor {
  /** Before it is sent. */
  before(call: Call): void;
  /** After a part of a COPY was sent or received. */
  during(call: Call): void;
  /** When it is done, before the caller knows. @returns an error for the caller, instead of the result */
  after(call: Call): Error | undefined;
}

/** Variable with the folder by which a scenario and its preloaded processes communicate. */
export const FOLDER_VARIABLE = 'RESILIENCE_FOLDER';

export function processContext(): { readonly folder: string; readonly role: string } {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new Error(`${FOLDER_VARIABLE} is not set`);
  return { folder, role: basename(dirname(dirname(process.argv[1]))) };
}

/** File that exists as long as calls are to fail. */
export const FAULT_PLAN = 'faults.json';
export interface FaultPlan {
  readonly seed: number;
  /** Share of all calls, 0 to 1. */
  readonly share: number;
}

/** Counts of one process; the prefix of the files in which processes write them. */
export interface FaultCounts {
  calls: number;
  failed: number;
  disconnected: number;
}
export const FAULT_COUNTS = 'counts-';

/** A point between two writes at which a process may crash. */
export interface CrashPoint {
  readonly id: string;
  readonly role: string;
  readonly moment: 'before' | 'during' | 'after';
  readonly server: 'postgres' | 'redis';
  readonly name: string;
}

/** What may crash in a round: the first process of a role that reaches one of the points, at most `crashes` times. */
export interface ArmedPoints {
  readonly round: number;
  readonly ids: readonly string[];
  readonly crashes: Readonly<Record<string, number>>;
}

/** Files: points that were passed (one line for each process), armed points, one file for each crash and each point. */
export const SEEN_FILE = 'seen.jsonl';
export const ARMED_FILE = 'armed.json';
export const CRASHED_FOLDER = 'crashed';
export const CRASHES_FOLDER = 'crashes';
