import { DomainError } from '@donorlens/primitives';

/** One state of all charts; what is read with its id never changes. */
export interface ChartsVersion {
  readonly id: string;
  readonly builtAt: Date;
}

/** The state of candidates, committees and linkages: the import that brought them. */
export interface MastersVersion {
  readonly id: string;
  readonly movedAt: Date;
}

/** The versions that readers get; null before the first one. */
export interface PublishedVersions {
  readonly charts: ChartsVersion | null;
  readonly masters: MastersVersion | null;
}

/** Donors of all candidates of a cycle by the key they are counted with, and by a coarser one: how much the key matters. */
export interface KeySensitivity {
  readonly donors: number;
  readonly donorsByCoarserKey: number;
  /** missing if it was measured before donorlens compared names */
  readonly nearDuplicates?: NearDuplicates;
}

/** Donors who may be one person under two keys: same ZIP, names a nickname, an initial or a typo apart. */
export interface NearDuplicates {
  /** different donors of the cycle, once each */
  readonly donors: number;
  /** those in at least one pair */
  readonly pairedDonors: number;
  readonly pairs: number;
}

/** What the stored charts hold. Charts of another form are built again from all contributions. */
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
  /** by cycle; before it is measured, that of the previous version */
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
  /** donors of committees whose rows were read */
  readonly donors: number;
  /** donors of committees and candidates whose counts have changed */
  readonly changed: number;
}

export interface ChartsStatus {
  readonly current: ChartsVersion | null;
  readonly detail: VersionDetail | null;
  /** (committee or candidate, cycle) pairs in the current version */
  readonly pairs: number;
  /** donors that wait for the next refresh; a donor may be counted more than once */
  readonly touched: number;
  /** whether the masters have changed since the current version was built */
  readonly linksAreOld: boolean;
  /** whether another release of donorlens built the current version, so that the next refresh builds all charts again */
  readonly formIsOld: boolean;
}

/** What the charts of one cycle cover. */
export interface CycleCoverage {
  readonly cycle: number;
  /** newest date of a contribution: the last day of each series */
  readonly newestOn: string;
  readonly candidates: number;
  readonly committees: number;
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

/** Another refresh ran for longer than the caller would wait. */
export class ChartsBusyError extends DomainError {
  readonly code = 'charts_busy';

  constructor(waitMs: number) {
    super(`another refresh of the charts has been running for more than ${waitMs} ms`, { waitMs });
  }
}

/** The version was replaced twice since it was current, so its rows are removed. Read again with the current version. */
export class ChartsVersionGoneError extends DomainError {
  readonly code = 'charts_version_gone';

  constructor(readonly versionId: string) {
    super(`version ${versionId} of the charts is no longer stored`, { versionId });
  }
}
