export { type DownloadRequest, codeOf, SourceError } from './response';
export { sha256OfFile } from './cache-folder';
export {
  type DownloadLog,
  type DownloadRecord,
  type Downloaded,
  Downloader,
  type DownloaderOptions,
  withoutSecrets,
} from './downloader';
export { SourceFileRepository } from './source-file.repository';
export { ZipError, type ZipContract, unzip } from './zip-members';
