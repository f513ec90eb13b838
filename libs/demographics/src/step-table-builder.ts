import type { BirthTable } from './birth-table';
import type { LifeTables } from './life-table';
import type { DateWindow, StepTable } from './step-table';

/** The step table of every name for which it pays. */
export function buildStepTable(births: BirthTable, _life: LifeTables, window: DateWindow): StepTable {
  return { ...window, start: new Uint32Array(births.names.size + 1), day: new Uint16Array(0), age: new Uint8Array(0) };
}
