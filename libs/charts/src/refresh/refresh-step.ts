/** One statement of a refresh. Its input is in tables, not in parameters, so that EXPLAIN accepts the statement. */
export interface RefreshStep {
  readonly name: string;
  readonly sql: string;
}

/** `touched`: reads contributions of touched donors only; `reset`: reads all contributions. */
export type RefreshMode = 'touched' | 'reset';

export const step = (name: string, sql: string): RefreshStep => ({ name, sql });

/** Creates a temporary table of the transaction. The planner assumes ten pages until a separate step analyzes it. */
export const workTable = (name: string, columns: string): RefreshStep =>
  step(`${name}: create`, `create temp table ${name} (${columns}) on commit drop`);

export const analyzed = (name: string): RefreshStep => step(`${name}: analyze`, `analyze ${name}`);
