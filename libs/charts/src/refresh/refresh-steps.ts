import { CLEANING } from './cleaning-steps';
import { copySteps } from './copy-steps';
import { ALL_DAYS, CHANGED_DAYS } from './day-steps';
import { CANDIDATE_DONORS, COMMITTEE_DONORS, DONOR_CHANGE } from './donor-steps';
import { linkSteps } from './link-steps';
import { pairSteps } from './pair-steps';
import { type RefreshMode, type RefreshStep } from './refresh-step';
import { ALL_CANDIDATE_DONORS, ALL_COMMITTEE_DONORS } from './reset-donor-steps';
import { touchedSteps } from './touched-steps';
import { versionSteps } from './version-steps';

export interface RefreshSteps {
  /** contributions to copies, links, donors, days, and the pairs that change by it */
  readonly fold: readonly RefreshStep[];
  /** then, where something changed: the rows of `next_version`, and what is no longer read goes */
  readonly publish: readonly RefreshStep[];
}

/**
 * All statements of a refresh in their order; each stands alone and can be explained.
 * @param linksAreOld  linkages may have changed since the last refresh
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
