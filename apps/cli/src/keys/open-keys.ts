import { ApiKeyEntity, KeyRepository, dataSourceOptions } from '@donorlens/access-keys';
import { DataSource } from 'typeorm';

/** Opens the key repository of a database and closes it after the work. */
export async function withKeys<T>(databaseUrl: string, work: (keys: KeyRepository) => Promise<T>): Promise<T> {
  const dataSource = new DataSource(dataSourceOptions(databaseUrl));
  await dataSource.initialize();
  try {
    return await work(new KeyRepository(dataSource.getRepository(ApiKeyEntity)));
  } finally {
    await dataSource.destroy();
  }
}
