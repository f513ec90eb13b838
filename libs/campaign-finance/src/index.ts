export {
  COUNT_REASONS,
  type CountReason,
  type CountedRow,
  type Counting,
  type DatedAmount,
  EARMARK_WORD,
  countingOf,
  isCopyOf,
  isForwarded,
} from './counting';
export { DONOR_KEY_VERSION, type DonorKeys, donorKeys } from './donor-key';
export { rowIdOfFiled } from './row-id';
export {
  CANDIDATE_COLUMNS,
  COMMITTEE_COLUMNS,
  type Candidate,
  type Committee,
  type Linkage,
  type Masters,
} from './masters/master-columns';
export { MasterFileError, type MasterFault, type MasterReport } from './masters/read-master';
export {
  type CandidateInCycle,
  type CommitteeInCycle,
  type CommitteeLink,
  type MasterSearch,
  type MasterSourceFile,
  type MastersCoverage,
  MastersRepository,
  type Seat,
} from './masters/masters.repository';
export { isCommitteeOf, isLoadedLinkage, OWN_DESIGNATIONS } from './masters/committee-office.store';
export { type ParsedMaster, parseCandidates, parseCommittees, parseLinkages } from './masters/parse-masters';
export { ContributionStore, type StagedChunk, type KnownAddresses, type StoreCounts } from './store/contribution.store';
export { conduitMatches } from './store/conduit-matches.store';
export { ContributionSnapshot, removeAbandonedSnapshots } from './store/contribution-snapshot.store';
export { contributionIncome, type IncomeFinder, type AddressCounty } from './store/county-income.store';
export { removeAllContributions } from './store/contribution-removal.store';
export { STAGING_COLUMNS } from './store/contribution-staging.store';
export { filedCell } from './reading/contribution-copy.store';
export { type PlacedNames, storedNames } from './reading/contribution-areas';
export { CONTRIBUTION_FILE_COLUMNS, type ContributionFile, type FileOptions } from './reading/contribution-file';
export { type RowDetail } from './reading/contribution-copy.store';
export { type ContributionSelection, UnknownRowError, isRowName } from './reading/contribution-selection';
export { ContributionsRepository } from './reading/contributions.repository';
export { type ImportedFile, type ImportedFiles, importedFiles } from './reading/imported-files.repository';
