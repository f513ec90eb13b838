/** File of the folder by which a run and the processes talk: there for as long as calls are to fail. */
export const FAULTS = 'faults.json';

export interface FaultPlan {
  readonly seed: number;
  /** 0 to 1, of all calls. */
  readonly share: number;
}

/** What a process has done so far: calls that came by, and those that were said to have failed. */
export interface Spoilt {
  calls: number;
  plain: number;
  connection: number;
}

/** How the files begin in which the processes of a role write that down. */
export const SPOILT = 'spoilt-';
export const spoiltBy = (role: string): string => `${SPOILT}${role}-`;
