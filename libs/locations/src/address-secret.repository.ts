import { type Pool } from 'pg';
import { ConfigError } from '@donorlens/config';
import { type AddressKeys } from './address-keys';

const POINTER = 'address-secret';

/** This process would hash addresses differently from those that are stored. */
export class AddressSecretError extends ConfigError {
  override readonly code = 'address_secret';

  constructor() {
    super([
      'ADDRESS_SECRET is not the one that the addresses in this database were hashed with: set the one of the first ' +
        'start (where `npm start` made it, it is in the file address-secret of its DONORLENS_HOME)',
    ]);
  }
}

/**
 * The first process stores the fingerprint of its secret in the database; all others must have the same.
 * @throws AddressSecretError
 */
export async function claimSecret(pool: Pick<Pool, 'query'>, keys: AddressKeys): Promise<void> {
  const { rows } = await pool.query<{ version_id: string }>(
    `insert into pointer as p (name, version_id) values ($1, $2)
     on conflict (name) do update set version_id = coalesce(p.version_id, excluded.version_id)
     returning version_id`,
    [POINTER, keys.fingerprint],
  );
  if (rows[0].version_id !== keys.fingerprint) throw new AddressSecretError();
}
