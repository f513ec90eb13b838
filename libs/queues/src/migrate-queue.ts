import { Client } from 'pg';
import { runMigrations } from 'bullmq';
import { type Config, isPooled, serverUrlOf } from '@donorlens/config';
import { QUEUE_SCHEMA } from './connections';

/**
 * Brings BullMQ's own tables up to date where the queue is on Postgres; nothing elsewhere.
 * Nothing behind a pooler of transactions either: no queue can be there. One transaction under BullMQ's advisory lock, so several starts at once are fine.
 */
export async function migrateQueue(config: Pick<Config, 'queueBackend' | 'databaseUrl'>): Promise<void> {
  if (config.queueBackend !== 'postgres' || !config.databaseUrl || isPooled(config.databaseUrl)) return;
  const client = new Client({ connectionString: serverUrlOf(config.databaseUrl), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}
