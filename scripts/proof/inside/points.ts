/** A place between two writes at which a process may end. */
export interface Point {
  readonly id: string;
  readonly role: string;
  /** during: a part of a COPY is on its way. */
  readonly moment: 'before' | 'during' | 'after';
  readonly server: 'postgres' | 'redis';
  readonly name: string;
}

/** Files of the folder by which a run and the processes talk: points one to a line, ids to end at, a file for each struck. */
export const SEEN = 'seen.jsonl';
export const ARMED = 'armed.json';
export const STRUCK = 'struck';
