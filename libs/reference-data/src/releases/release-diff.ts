import { type CivilDay } from '@donorlens/primitives';
import { type BirthTable, type KeyIndex, type SurnameTable } from '@donorlens/demographics';
import { type Release } from './release';

export interface KeyChanges {
  readonly added: number;
  readonly removed: number;
  /** keys of both whose values differ */
  readonly changed: number;
}

/** What a new release would change for callers. */
export interface ReleaseDiff {
  readonly before: string;
  readonly after: string;
  readonly firstNames: KeyChanges;
  readonly birthsBefore: number;
  readonly birthsAfter: number;
  readonly lastDataYearBefore: number;
  readonly lastDataYearAfter: number;
  /** day of the compared median ages */
  readonly mediansOn: CivilDay;
  /** names of both releases whose median age on that day differs */
  readonly mediansMoved: number;
  readonly largestMoves: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  readonly surnames2000: KeyChanges;
  readonly surnames2010: KeyChanges;
  readonly counties: KeyChanges;
  readonly probabilitiesOfDyingChanged: number;
}

const MOVES_SHOWN = 10;

/** Compares two releases; medians are those of all people living at `on`, -1 if there is none. */
export function diffReleases(before: Release, after: Release, on: CivilDay): ReleaseDiff {
  const moves = medianMoves(before, after, on);
  return {
    before: before.id,
    after: after.id,
    firstNames: keyChanges(before.tables.births.names, after.tables.births.names, (from, to) =>
      sameBirths(before.tables.births, from, after.tables.births, to),
    ),
    birthsBefore: sum(before.tables.births.count),
    birthsAfter: sum(after.tables.births.count),
    lastDataYearBefore: before.lastDataYear,
    lastDataYearAfter: after.lastDataYear,
    mediansOn: on,
    mediansMoved: moves.length,
    largestMoves: moves
      .sort((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from) || (a.name < b.name ? -1 : 1))
      .slice(0, MOVES_SHOWN),
    surnames2000: surnameChanges(before.tables.surnames2000, after.tables.surnames2000),
    surnames2010: surnameChanges(before.tables.surnames2010, after.tables.surnames2010),
    counties: countyChanges(before, after),
    probabilitiesOfDyingChanged: differing(before.tables.life.q, after.tables.life.q),
  };
}

function keyChanges(from: KeyIndex, to: KeyIndex, same: (from: number, to: number) => boolean): KeyChanges {
  let common = 0;
  let changed = 0;
  for (let i = 0; i < to.size; i++) {
    const old = from.find(to.keyAt(i));
    if (old < 0) continue;
    common++;
    if (!same(old, i)) changed++;
  }
  return { added: to.size - common, removed: from.size - common, changed };
}

function sameBirths(a: BirthTable, i: number, b: BirthTable, j: number): boolean {
  for (const sex of [0, 1]) {
    const [startA, startB] = [a.rowStart[2 * i + sex], b.rowStart[2 * j + sex]];
    const cells = a.rowStart[2 * i + sex + 1] - startA;
    if (b.rowStart[2 * j + sex + 1] - startB !== cells) return false;
    for (let cell = 0; cell < cells; cell++) {
      if (a.count[startA + cell] !== b.count[startB + cell]) return false;
      if (a.firstYear + a.yearOffset[startA + cell] !== b.firstYear + b.yearOffset[startB + cell]) return false;
    }
  }
  return true;
}

const surnameChanges = (from: SurnameTable, to: SurnameTable): KeyChanges =>
  keyChanges(from.names, to.names, (i, j) => {
    for (let cell = 0; cell < 6; cell++) if (from.pct[6 * i + cell] !== to.pct[6 * j + cell]) return false;
    return from.race[i] === to.race[j] && from.suppressed[i] === to.suppressed[j];
  });

function medianMoves(before: Release, after: Release, on: CivilDay): { name: string; from: number; to: number }[] {
  const moves: { name: string; from: number; to: number }[] = [];
  const names = after.tables.births.names;
  for (let i = 0; i < names.size; i++) {
    const name = names.keyAt(i);
    const old = before.tables.births.names.find(name);
    if (old < 0) continue;
    const from = before.demographics.ages.ageAt(old, on);
    const to = after.demographics.ages.ageAt(i, on);
    if (from !== to) moves.push({ name, from, to });
  }
  return moves;
}

function countyChanges(before: Release, after: Release): KeyChanges {
  const known = [...after.counties].map((county) => ({ county, old: before.counties.find(county.fips) }));
  const common = known.filter(({ old }) => old !== null);
  return {
    added: known.length - common.length,
    removed: before.counties.size - common.length,
    changed: common.filter(({ county, old }) => old?.medianHouseholdIncome !== county.medianHouseholdIncome).length,
  };
}

const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0);

function differing(a: Float64Array, b: Float64Array): number {
  let count = Math.abs(a.length - b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) count++;
  return count;
}
