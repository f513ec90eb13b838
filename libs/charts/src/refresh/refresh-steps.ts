import { copySteps, touchedSteps } from './contribution-steps.store';
import {
  ALL_CANDIDATE_DONORS,
  ALL_COMMITTEE_DONORS,
  DONOR_CHANGE,
  STORE_DONORS,
  TOUCHED_DONORS,
  donorChanges,
  donorsAt,
} from './donor-steps.store';
import { allLinkPairs, findLinks, storeLinks, touchedLinkPairs } from './link-steps.store';
import { NAME_PAIRS, REMOVE_OLD_ESTIMATES, nameSteps } from './name-steps.store';
import { ALL_PRESENCE, PRESENCE_SUMS, presenceAt } from './presence-steps.store';
import { type RefreshMode, type RefreshStep } from './refresh-step';
import { valueSteps } from './value-steps.store';
import { ALL_DAYS, CHANGED_DAYS, CLEANING, pairSteps, sumSteps, versionSteps } from './version-steps.store';

export interface RefreshSteps {
  /** compute copies, links, donors, days and the changed pairs from contributions */
  readonly fold: readonly RefreshStep[];
  /** if something has changed, write the rows of `next_version` and remove rows that are no longer read */
  readonly publish: readonly RefreshStep[];
}

/** All statements of a reset, in order. @param cycles - cycles with contributions */
export const resetSteps = (cycles: readonly number[]): RefreshSteps => ({
  fold: [
    ...touchedSteps('reset'),
    ...copySteps('reset'),
    ...allLinkPairs(cycles),
    ...findLinks('reset'),
    ...storeLinks('reset'),
    ...ALL_COMMITTEE_DONORS,
    ...ALL_CANDIDATE_DONORS,
    ...ALL_DAYS,
    ...ALL_PRESENCE,
    ...PRESENCE_SUMS,
    ...sumSteps('reset'),
    ...valueSteps('reset'),
    ...nameSteps('reset'),
    ...pairSteps('reset'),
    NAME_PAIRS,
  ],
  publish: publishSteps('reset'),
});

/**
 * All statements of an increment, in order; EXPLAIN accepts each of them. Donors of candidates are not stored. They are
 * folded from the donors of committees before these change, and again afterwards.
 * @param linksAreOld - linkages may have changed since the last refresh
 */
export const incrementSteps = (linksAreOld: boolean): RefreshSteps => ({
  fold: [
    ...touchedSteps('touched'),
    ...copySteps('touched'),
    ...touchedLinkPairs(linksAreOld),
    ...findLinks('touched'),
    ...TOUCHED_DONORS,
    ...donorsAt('committee', 'before'),
    ...donorsAt('candidate', 'before'),
    ...presenceAt(-1),
    ...donorsAt('committee', 'now'),
    ...STORE_DONORS,
    ...storeLinks('touched'),
    ...donorsAt('candidate', 'now'),
    ...presenceAt(1),
    DONOR_CHANGE,
    donorChanges('committee'),
    donorChanges('candidate'),
    ...CHANGED_DAYS,
    ...PRESENCE_SUMS,
    ...sumSteps('touched'),
    ...valueSteps('touched'),
    ...nameSteps('touched'),
    ...pairSteps('touched'),
    NAME_PAIRS,
  ],
  publish: publishSteps('touched'),
});

const publishSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  ...versionSteps(mode),
  ...CLEANING,
  REMOVE_OLD_ESTIMATES,
];
