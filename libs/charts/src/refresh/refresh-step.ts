/** One statement of a refresh. It takes no values: what it needs stands in tables, so that its plan can be asked for as it is. */
export interface RefreshStep {
  readonly name: string;
  readonly sql: string;
}

/** `contribution` only by what was touched, or all of it. */
export type RefreshMode = 'touched' | 'reset';

export const step = (name: string, sql: string): RefreshStep => ({ name, sql });

/** A table of this transaction. Its statistics are taken by a step of their own: without them the planner guesses ten pages. */
export const workTable = (name: string, columns: string): RefreshStep =>
  step(`${name}: create`, `create temp table ${name} (${columns}) on commit drop`);

export const analyzed = (name: string): RefreshStep => step(`${name}: analyze`, `analyze ${name}`);
