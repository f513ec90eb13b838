import { type CivilDay, civilDay } from './civil-date';

/** The first cycle that the FEC's files know. */
export const FIRST_CYCLE = 1976;

/** Two years, named for the even one that ends them: 2019 belongs to 2020. */
export const cycleOfYear = (year: number): number => year + (year % 2);

export const firstDayOfCycle = (cycle: number): CivilDay => civilDay(cycle - 1, 1, 1);

export const lastDayOfCycle = (cycle: number): CivilDay => civilDay(cycle, 12, 31);
