import { type PoolClient } from 'pg';
import { RESULT_COLUMNS, copyIn } from '@donorlens/database';

/** @param copy lines of COPY text, columns as RESULT_COLUMNS */
export async function storeResults(client: PoolClient, copy: Buffer): Promise<void> {
  await copyIn(client, COPY_RESULT, copy);
}

const COPY_RESULT = `copy result (${RESULT_COLUMNS.join(', ')}) from stdin`;
