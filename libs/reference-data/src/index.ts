export { dataSource, HttpSource } from './http-source';
export {
  type CompileOptions,
  STEP_WINDOW,
  compileRelease,
  SAMPLE_FOLDER,
  compileFolder,
  NO_AREA_PEOPLE,
  NO_TRACT_INCOMES,
  missingParts,
  sampleSource,
} from './compile-release';
export { type County, type CountyTable } from './tables/county-table';
export {
  type DataSource,
  type FetchOptions,
  type SourceFile,
  type SourceFiles,
  SAMPLE_MARKER,
  FolderSource,
} from './data-source';
export { CheckError, LayoutError, ReleaseFormatError, UnknownReleaseError } from './reference-data-error';
export { ReferenceDataModule } from './reference-data.module';
export { type RefreshOptions, type RefreshReport, ensureSample, refresh } from './refresh';
export { type Provenance, type Release, type ReleaseLabel, openRelease } from './releases/release';
export { ReleaseCache, activeRelease, lastActiveRelease } from './releases/release-cache';
export { type CheckResult } from './releases/release-checks';
export { type KeyChanges, type ReleaseDiff } from './releases/release-diff';
export { ReleaseHolder, type ReleaseHolderOptions } from './releases/release-holder';
export { ReleaseRepository, type ReleaseState, type StoredRelease } from './releases/release.repository';
