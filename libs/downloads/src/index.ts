export { type DownloadRequest } from './answer';
export { sha256OfFile } from './cache-folder';
export { type DownloadLog, type DownloadRecord } from './download-log';
export { type Downloaded, Downloader, type DownloaderOptions, withoutSecrets } from './downloader';
export { codeOf } from './error-code';
export { SourceError } from './source-error';
export { SourceFileRepository } from './source-file.repository';
export { ZipError } from './zip-error';
export { type ZipContract, unzip } from './zip-members';
