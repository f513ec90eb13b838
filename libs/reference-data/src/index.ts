export { dataSource } from './choose-source';
export { type CompileOptions, STEP_WINDOW, compileRelease } from './compile-release';
export { type County, type CountyTable } from './county-table';
export { type DataSource, type FetchOptions } from './data-source';
export { FolderSource } from './folder-source';
export { HttpSource } from './http-source';
export {
  CheckError,
  LayoutError,
  ReleaseFormatError,
  SourceError,
  UnknownReleaseError,
  ZipError,
} from './reference-data-error';
export { ReferenceDataModule } from './reference-data.module';
export { type RefreshOptions, type RefreshReport, ensureSample, refresh } from './refresh';
export { type Provenance, type Release, type ReleaseLabel, openRelease } from './release';
export { ReleaseCache } from './release-cache';
export { type CheckResult } from './release-checks';
export { type KeyChanges, type ReleaseDiff } from './release-diff';
export { ReleaseHolder, type ReleaseHolderOptions } from './release-holder';
export { ReleaseRepository, type ReleaseState, type StoredRelease } from './release.repository';
export { SAMPLE_FOLDER, compileFolder, sampleRelease, sampleSource } from './sample';
export { type DownloadLog, type DownloadRecord, SourceFileRepository } from './source-file.repository';
