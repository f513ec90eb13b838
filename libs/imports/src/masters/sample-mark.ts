import { type Pool } from 'pg';

const POINTER = 'fec-sample';

/** The sample is there as a whole. A start that was stopped in its middle has left a part, which is gone on with. */
export async function isSampleWhole(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from pointer where name = $1', [POINTER]);
  return rowCount === 1;
}

export async function noteSampleWhole(pool: Pool): Promise<void> {
  await pool.query(`insert into pointer (name, version_id) values ($1, 'whole') on conflict (name) do nothing`, [
    POINTER,
  ]);
}
