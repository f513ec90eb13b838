export { ChartsBusyError, ChartsVersionGoneError } from './charts-error';
export {
  type ChartsCoverage,
  type ChartsReport,
  type ChartsStatus,
  type ChartsVersion,
  type CycleCoverage,
  type KeySensitivity,
  type MastersVersion,
  type NearestLinkage,
  type PublishedVersions,
  type VersionDetail,
} from './charts-version';
export {
  AGE_BASES,
  type AgeBasis,
  type AgeDistributionQuery,
  BREAKDOWNS,
  type Breakdown,
  type BreakdownQuery,
  type ChartRow,
  type CumulativeDonorsQuery,
} from './reading/chart-query';
export { ChartReader } from './reading/chart-reader';
export { ChartVersionWatch, type WatchOptions } from './reading/chart-version-watch';
export { type RefreshChartsOptions, refreshCharts } from './refresh/refresh-charts';
export { measureSensitivity } from './refresh/key-sensitivity';
