/** A place between two writes at which a process may end. */
export interface Point {
  readonly id: string;
  readonly role: string;
  /** during: a part of a COPY is on its way. */
  readonly moment: 'before' | 'during' | 'after';
  readonly server: 'postgres' | 'redis';
  readonly name: string;
}

/** What is to happen in a round. */
export interface Armed {
  readonly round: number;
  /** Of points: the first that come by there end. */
  readonly ids: readonly string[];
  /** So many processes of a role, and no more. */
  readonly ends: Readonly<Record<string, number>>;
}

/**
 * Files of the folder by which a run and the processes talk: points, a line for each process that passed by there; what
 * is armed; a file for each point that was struck, and one for each end of a round.
 */
export const SEEN = 'seen.jsonl';
export const ARMED = 'armed.json';
export const STRUCK = 'struck';
export const ENDS = 'ends';
