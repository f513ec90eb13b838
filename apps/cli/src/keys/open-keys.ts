import { ApiKeyEntity, KeyRepository, dataSourceOptions } from '@donorlens/access-keys';
import { DataSource } from 'typeorm';

/** Opens the keys of a database for one piece of work. */
export async function withKeys<T>(databaseUrl: string, work: (keys: KeyRepository) => Promise<T>): Promise<T> {
  const dataSource = new DataSource(dataSourceOptions(databaseUrl));
  await dataSource.initialize();
  try {
    return await work(new KeyRepository(dataSource.getRepository(ApiKeyEntity)));
  } finally {
    await dataSource.destroy();
  }
}
