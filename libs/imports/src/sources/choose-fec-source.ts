import { type Config } from '@donorlens/config';
import { type DownloadLog } from '@donorlens/downloads';
import { FecFolder } from './fec-folder';
import { FecHttp } from './fec-http';
import { type FecSource } from './fec-source';

/**
 * The source that the configuration names: a folder, a base address, or, where DATA_SOURCE is not set, the FEC.
 * @returns null where DATA_SOURCE has nothing of the FEC
 * @throws SourceError where DATA_SOURCE is a folder that is not there, or an address that does not answer
 */
export async function fecSource(
  { dataSource, home }: Pick<Config, 'dataSource' | 'home'>,
  log: DownloadLog,
): Promise<FecSource | null> {
  if (dataSource === undefined) return FecHttp.official({ home, log });
  if (/^https?:\/\//i.test(dataSource)) return FecHttp.under(dataSource, { home, log });
  return FecFolder.at(dataSource);
}
