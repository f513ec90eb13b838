export { parseCents } from './cents';
export {
  COUNT_REASONS,
  type CountReason,
  type CountedRow,
  type Counting,
  type DatedAmount,
  countingOf,
  isCopyOf,
  isPassedOn,
} from './counting';
export { DONOR_KEY_VERSION, type DonorKeys, donorKeys } from './donor-key';
export { CELL, type Cell, FiledRecord } from './filed-record';
export { type ItcontCounts, ItcontScanner, type ItcontStart, type ItcontVisitor } from './itcont-scanner';
export { cycleOf, receivedOn } from './received-on';
export { REJECT_CODES, type RejectCode } from './reject-code';
export { rowIdOfFiled } from './row-id';
export { asUtf8 } from './text-encoding';
export {
  CANDIDATE_COLUMNS,
  COMMITTEE_COLUMNS,
  type Candidate,
  type Committee,
  LINKAGE_COLUMNS,
  type Linkage,
  type Masters,
} from './masters/master-columns';
export { MasterFileError } from './masters/master-file-error';
export {
  type MasterSearch,
  type MasterSourceFile,
  type MastersCoverage,
  MastersRepository,
} from './masters/masters.repository';
export { type ParsedMaster, parseCandidates, parseCommittees, parseLinkages } from './masters/parse-masters';
export { MASTER_FAULTS, type MasterFault, type MasterReport } from './masters/read-master';
export { ContributionStore, type FiledChunk, type KnownAddresses, type StoreTally } from './store/contribution.store';
export { type IncomeFinder, type LocatedAddress } from './store/locating';
export { removeAllContributions } from './store/removal';
export { lockContributions } from './store/row-locks';
export { STAGING_COLUMNS } from './store/staging-columns';
export { type ContributionFile, type FileOptions } from './reading/contribution-file';
export { ContributionRows } from './reading/contribution-rows';
export { type ContributionSelection, UnknownRowError } from './reading/contribution-selection';
export { CONTRIBUTION_FILE_COLUMNS } from './reading/file-columns';
export { isRowName } from './reading/stored-row';
export { type ImportedFile, type ImportedFiles, importedFiles } from './reading/imported-files';
