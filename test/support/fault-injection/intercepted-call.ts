import { basename, dirname } from 'node:path';

/** A call of a role to Postgres or Redis. */
export interface Call {
  readonly server: 'postgres' | 'redis';
  /** What the call does; the same in every process and for all values. */
  readonly name: string;
  /** True if the call changes data; in Postgres, from its commit on. */
  readonly writes: boolean;
  /** Closes the connection of the call. */
  readonly cut: () => void;
}

/** Receives each call. */
export interface CallInterceptor {
  /** Before the call is sent. */
  before(call: Call): void;
  /** After a part of a COPY was sent or received. */
  during(call: Call): void;
  /** When the call has succeeded, before the caller knows. @returns an error that replaces the result, or undefined */
  after(call: Call): Error | undefined;
}

/** Variable with the folder through which a scenario and its preloaded processes communicate. */
export const FOLDER_VARIABLE = 'RESILIENCE_FOLDER';

export function processContext(): { readonly folder: string; readonly role: string } {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined) throw new Error(`${FOLDER_VARIABLE} is not set`);
  return { folder, role: basename(dirname(dirname(process.argv[1]))) };
}

/** Calls are reported as failed while this file exists. */
export const FAULT_PLAN = 'faults.json';
export interface FaultPlan {
  readonly seed: number;
  /** Share of all calls, 0 to 1. */
  readonly share: number;
}

/** Counts of one process; FAULT_COUNTS is the prefix of the files with the counts. */
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

/**
 * A process crashes at the first points it passes at which no process has crashed yet. As rare points may not be passed
 * again, some crashes of a role are left for points that were not known before the round.
 */
export interface ArmedPoints {
  readonly round: number;
  readonly known: readonly string[];
  /** Maximum number of crashes by role, and how many of them may be at known points; none for a role that is missing. */
  readonly crashes: Readonly<Record<string, { readonly all: number; readonly known: number }>>;
}

/** Files: passed points (one line for each process), armed points, one file for each crash and for each point. */
export const SEEN_FILE = 'seen.jsonl';
export const ARMED_FILE = 'armed.json';
export const CRASHED_FOLDER = 'crashed';
export const CRASHES_FOLDER = 'crashes';
