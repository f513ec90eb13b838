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

/** What readers are to be answered from; null where there is none yet. */
export interface PublishedVersions {
  readonly charts: ChartsVersion | null;
  readonly masters: MastersVersion | null;
}

/** Donors of all candidates of a cycle by the key they are counted with, and by a coarser one: how much the key matters. */
export interface KeySensitivity {
  readonly donors: number;
  readonly donorsByCoarserKey: number;
}

/** What a version was made of. */
export interface VersionDetail {
  /** of the rule by which rows were given to donors */
  readonly donorKeyVersion: number;
  /** the masters that its links were taken from */
  readonly masters: string | null;
  readonly changedDonors: number;
  /** by cycle; until it is measured, what its predecessor had */
  readonly sensitivity?: Readonly<Record<string, KeySensitivity>>;
  /** the version at which it was measured */
  readonly sensitivityOf?: string;
}

export interface ChartsReport {
  /** the version that is current now; null where there is none */
  readonly versionId: string | null;
  readonly outcome: 'unchanged' | 'built';
  /** (committee or candidate, cycle) pairs that were rebuilt */
  readonly series: number;
  /** donors of committees whose rows were looked at */
  readonly donors: number;
  /** donors of committees and candidates that are counted otherwise than before */
  readonly changed: number;
}

export interface ChartsStatus {
  readonly current: ChartsVersion | null;
  readonly detail: VersionDetail | null;
  /** (committee or candidate, cycle) pairs in the current version */
  readonly pairs: number;
  /** donors that wait for the next refresh, some of them more than once */
  readonly touched: number;
  /** the masters moved since the current version was built */
  readonly linksAreOld: boolean;
}

/** How far the charts of one cycle reach. */
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

/** A committee whose gifts of a cycle are counted by a linkage of another one. */
export interface NearestLinkage {
  readonly committeeId: string;
  readonly cycle: number;
  readonly linkageCycle: number;
}

export interface ChartsCoverage {
  readonly cycles: readonly CycleCoverage[];
  readonly nearestLinkages: readonly NearestLinkage[];
}
