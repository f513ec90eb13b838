export { type CompileOptions, STEP_WINDOW, compileRelease } from './compile-release';
export { type County, type CountyTable } from './county-table';
export { type DataSource, type FetchOptions } from './data-source';
export { FolderSource } from './folder-source';
export {
  CheckError,
  LayoutError,
  ReleaseFormatError,
  SourceError,
  StaleFenceError,
  UnknownReleaseError,
  ZipError,
} from './reference-data-error';
export { type Provenance, type Release, type ReleaseLabel, openRelease } from './release';
export { type CheckResult } from './release-checks';
export { SAMPLE_FOLDER, compileFolder, sampleRelease, sampleSource } from './sample';
