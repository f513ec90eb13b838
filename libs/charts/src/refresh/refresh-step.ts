/** One statement of a refresh. It has no parameters: its input is in tables, so that EXPLAIN works on it as it is. */
export interface RefreshStep {
  readonly name: string;
  readonly sql: string;
}

/** `contribution` only by what was touched, or all of it. */
export type RefreshMode = 'touched' | 'reset';

export const step = (name: string, sql: string): RefreshStep => ({ name, sql });

/** A table of this transaction. A separate step analyzes it: without statistics the planner assumes ten pages. */
export const workTable = (name: string, columns: string): RefreshStep =>
  step(`${name}: create`, `create temp table ${name} (${columns}) on commit drop`);

export const analyzed = (name: string): RefreshStep => step(`${name}: analyze`, `analyze ${name}`);
