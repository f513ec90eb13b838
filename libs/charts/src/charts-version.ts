import { DomainError, type FecOffice } from '@donorlens/primitives';

/** A version of all charts; answers for its id never change. */
export interface ChartsVersion {
  readonly id: string;
  readonly builtAt: Date;
}

/** A version of candidates, committees and linkages; each import of masters creates one. */
export interface MastersVersion {
  readonly id: string;
  readonly movedAt: Date;
}

/** The versions that readers use; null before the first one. */
export interface PublishedVersions {
  readonly charts: ChartsVersion | null;
  readonly masters: MastersVersion | null;
}

/** Donors of presidential candidates in a cycle, counted per candidate, by the donor key and by a coarser key. */
export interface KeySensitivity {
  readonly donors: number;
  readonly donorsByCoarserKey: number;
  /** missing if a release of Donorlens measured it that did not compare names */
  readonly nearDuplicates?: NearDuplicates;
}

/** Donors who may be one person with two keys: same ZIP, and names that differ by a nickname, an initial or a typo. */
export interface NearDuplicates {
  /** distinct donors of presidential candidates in the cycle */
  readonly donors: number;
  /** donors in at least one pair */
  readonly pairedDonors: number;
  readonly pairs: number;
}

/** Version of the stored form of charts. A refresh rebuilds charts of another form from all contributions. */
export const CHARTS_FORM = 5;

/** The input of a version. */
export interface VersionDetail {
  /** CHARTS_FORM of the process that built it; missing before form 2 */
  readonly form?: number;
  /** version of the rule that assigns rows to donors */
  readonly donorKeyVersion: number;
  /** version of the masters that its links come from */
  readonly masters: string | null;
  readonly changedDonors: number;
  /** by cycle; until a cycle is measured, the value of the previous version */
  readonly sensitivity?: Readonly<Record<string, KeySensitivity>>;
  /** the version at which it was measured */
  readonly sensitivityOf?: string;
}

export interface ChartsReport {
  /** the current version; null if there is none */
  readonly versionId: string | null;
  readonly outcome: 'unchanged' | 'built';
  /** (committee or candidate, cycle) pairs that were rebuilt */
  readonly series: number;
  /** number of (committee, cycle, donor) entries whose rows were read */
  readonly donors: number;
  /** number of (committee or candidate, cycle, donor) entries whose counts have changed */
  readonly changed: number;
}

export interface ChartsStatus {
  readonly current: ChartsVersion | null;
  readonly detail: VersionDetail | null;
  /** (committee or candidate, cycle) pairs in the current version */
  readonly pairs: number;
  /** donors that wait for the next refresh; may count a donor more than once */
  readonly touched: number;
  /** whether the masters have changed since the current version was built */
  readonly linksAreOld: boolean;
  /** whether the current version has another form (CHARTS_FORM), so that the next refresh rebuilds all charts */
  readonly formIsOld: boolean;
}

/** What the charts of one cycle cover. */
export interface CycleCoverage {
  readonly cycle: number;
  /** newest date of a contribution of any office; the series of an office may end earlier */
  readonly newestOn: string;
  readonly candidates: number;
  readonly committees: number;
  /** offices whose candidates have donors */
  readonly offices: readonly FecOffice[];
  readonly contributions: number;
  /** whole cents, net of refunds */
  readonly amountCents: number;
  readonly sensitivity: KeySensitivity | null;
}

/** A committee without a linkage in the cycle: its contributions belong to no candidate. */
export interface UnlinkedCommittee {
  readonly committeeId: string;
  readonly cycle: number;
}

export interface ChartsCoverage {
  readonly cycles: readonly CycleCoverage[];
  readonly unlinked: readonly UnlinkedCommittee[];
}

/** Another refresh ran longer than the caller's `waitMs`. */
export class ChartsBusyError extends DomainError {
  readonly code = 'charts_busy';

  constructor(waitMs: number) {
    super(`another refresh of the charts has been running for more than ${waitMs} ms`, { waitMs });
  }
}

/** The version has been replaced twice, so its rows are removed. The caller must read the current version instead. */
export class ChartsVersionGoneError extends DomainError {
  readonly code = 'charts_version_gone';

  constructor(readonly versionId: string) {
    super(`version ${versionId} of the charts is no longer stored`, { versionId });
  }
}
