import { type Config } from '@donorlens/config';
import { type DownloadLog } from '@donorlens/downloads';
import { type DataSource } from './data-source';
import { FolderSource } from './folder-source';
import { HttpSource } from './http-source';

/**
 * The source that the configuration names: a folder, a base address, or, where DATA_SOURCE is not set, the publishers.
 * @throws SourceError when DATA_SOURCE is a folder that is not there
 */
export function dataSource(config: Pick<Config, 'dataSource' | 'home'>, log: DownloadLog): Promise<DataSource> {
  const options = { home: config.home, log };
  if (config.dataSource === undefined) return Promise.resolve(HttpSource.official(options));
  if (/^https?:\/\//i.test(config.dataSource)) return Promise.resolve(HttpSource.under(config.dataSource, options));
  return FolderSource.at(config.dataSource);
}
