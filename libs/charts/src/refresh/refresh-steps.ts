import { copySteps, touchedSteps } from './contribution-steps.store';
import {
  ALL_CANDIDATE_DONORS,
  ALL_COMMITTEE_DONORS,
  CANDIDATE_DONORS,
  COMMITTEE_DONORS,
  DONOR_CHANGE,
} from './donor-steps.store';
import { linkSteps } from './link-steps.store';
import { type RefreshMode, type RefreshStep } from './refresh-step';
import { ALL_DAYS, CHANGED_DAYS, CLEANING, pairSteps, versionSteps } from './version-steps.store';

export interface RefreshSteps {
  /** contributions to copies, links, donors, days, and the changed pairs */
  readonly fold: readonly RefreshStep[];
  /** then, if something changed: the rows of `next_version`, and the removal of rows that are no longer read */
  readonly publish: readonly RefreshStep[];
}

/**
 * All statements of a refresh in their order; EXPLAIN works on each of them.
 * @param linksAreOld - linkages may have changed since the last refresh
 */
export const refreshSteps = (mode: RefreshMode, linksAreOld = false): RefreshSteps => ({
  fold: [
    ...touchedSteps(mode),
    ...copySteps(mode),
    ...(mode === 'reset' ? foldAll() : foldTouched(linksAreOld)),
    ...pairSteps(mode),
  ],
  publish: [...versionSteps(mode), ...CLEANING],
});

const foldAll = (): readonly RefreshStep[] => [
  ...ALL_COMMITTEE_DONORS,
  ...linkSteps('reset', true),
  ...ALL_CANDIDATE_DONORS,
  ...ALL_DAYS,
];

const foldTouched = (linksAreOld: boolean): readonly RefreshStep[] => [
  DONOR_CHANGE,
  ...COMMITTEE_DONORS,
  ...linkSteps('touched', linksAreOld),
  ...CANDIDATE_DONORS,
  ...CHANGED_DAYS,
];
