export {
  ChartsVersionGoneError,
  type ChartsCoverage,
  type ChartsReport,
  type ChartsStatus,
  type ChartsVersion,
  type CycleCoverage,
  type KeySensitivity,
  type MastersVersion,
  type NearDuplicates,
  type UnlinkedCommittee,
  type PublishedVersions,
  type VersionDetail,
} from './charts-version';
export {
  AGE_BASES,
  type AgeBasis,
  type AgeDistributionQuery,
  type AgeRow,
  BREAKDOWNS,
  COMMITTEE_AGE_BASES,
  type CommitteeAgeBasis,
  type Breakdown,
  type BreakdownQuery,
  type BreakdownRow,
  type CandidateQuery,
  type CumulativeDonorsRow,
  DONOR_SIZES,
  type DonorCounts,
  type DonorSizeRow,
  type OverlapRow,
  type RetentionRow,
  donorSizeBand,
} from './reading/chart-rows';
export { AgeEstimates } from './reading/age-estimate.repository';
export { type CandidateDonor, DonorRepository, type DonorsQuery } from './reading/donor.repository';
export { EthnicitySums } from './reading/expected-ethnicity';
export { ChartRepository } from './reading/chart.repository';
export { readChartsCoverage, readChartsStatus } from './reading/coverage.repository';
export { ChartVersionWatch, type WatchOptions } from './reading/chart-version-watch';
export { type RefreshChartsOptions, refreshCharts } from './refresh/refresh-charts';
export { NAMES_OF_NICKNAMES } from './refresh/nicknames';
export { measureSensitivity } from './refresh/key-sensitivity.repository';
