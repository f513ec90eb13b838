import { setImmediate } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { type Demographics, type GroupAges, type NamedPeople } from '@donorlens/demographics';
import { type CivilDay, civilDay, firstDayOfCycle } from '@donorlens/primitives';
import { type AgeEstimate, WHOLE_CYCLE, groupOf, storedEstimate } from '../reading/age-estimate';
import { AgeEstimateStore, type NameCounts } from './age-estimates.store';

/** Estimates per statement. */
const STORED_TOGETHER = 100;
const QUARTERS = 4;
const MONTHS = 3;
const DAYS_OF_YEAR = 365;

/**
 * Estimates the ages of changed pairs from the first names of their donors and a data release. The prior of a pair is
 * all donors of its cycle, with the weight of 50 people; their prior is the adult population. Unchanged pairs keep
 * estimates with an older prior. Yields to the event loop after each pair, so that leases are renewed.
 */
export async function estimateAges(client: PoolClient, release: () => Promise<Demographics | null>): Promise<void> {
  const store = new AgeEstimateStore(client);
  const cycles = await store.changedCycles();
  const demographics = cycles.length === 0 ? null : await release();
  if (demographics !== null) for (const cycle of cycles) await estimateCycle(store, cycle, demographics);
}

async function estimateCycle(store: AgeEstimateStore, cycle: number, { ages, groupAges }: Demographics): Promise<void> {
  const adults = groupAges.adults(firstDayOfCycle(cycle) + DAYS_OF_YEAR);
  let parent: GroupAges = (await store.wholeCycle(cycle)) ?? adults;
  let done: (readonly [string, AgeEstimate])[] = [];
  for await (const { entityId, names } of store.changedNames(cycle)) {
    const people = peopleOf(names, (key) => ages.nameIndex(key));
    const isParent = entityId === WHOLE_CYCLE;
    const estimate = storedEstimate(groupAges.intervals(people, isParent ? adults : parent));
    if (isParent) parent = groupOf(estimate);
    done.push([entityId, estimate]);
    await setImmediate();
    if (done.length < STORED_TOGETHER) continue;
    await store.store(cycle, done);
    done = [];
  }
  await store.store(cycle, done);
}

/** Uses the mean date of the donors of each year, counted from the middles of their quarters. */
export function peopleOf(names: NameCounts, positionOf: (key: string) => number): NamedPeople[] {
  const sums = new Map<number, { people: number; days: number }>();
  for (const [, quarter, people] of names) {
    const ofYear = sums.get(yearOfQuarter(quarter)) ?? { people: 0, days: 0 };
    ofYear.people += people;
    ofYear.days += people * middleOf(quarter);
    sums.set(yearOfQuarter(quarter), ofYear);
  }
  const dates = new Map([...sums].map(([year, { people, days }]) => [year, Math.round(days / people)]));
  return names.map(([key, quarter, people]) => ({
    name: positionOf(key),
    on: dates.get(yearOfQuarter(quarter))!,
    people,
  }));
}

const yearOfQuarter = (quarter: number): number => Math.floor(quarter / QUARTERS);
const middleOf = (quarter: number): CivilDay => civilDay(yearOfQuarter(quarter), MONTHS * (quarter % QUARTERS) + 2, 15);
