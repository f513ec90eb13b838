import { type PoolClient } from 'pg';

/**
 * Erases addresses that nobody wants any more: no contribution has them, no batch waits for them or asked first, and no
 * call carries them. They are locked before it is looked whether anybody wants them, so that nobody can begin to in
 * between; one that is locked already is being asked for or has its outcome this moment, and is left alone.
 * @param table of the transaction, has a column address_key
 */
export async function eraseUnwantedAddresses(client: PoolClient, table: string): Promise<void> {
  const { rows } = await client.query<{ key: Buffer }>(
    `select address_key as key from geocode_address a
     where address_key in (select address_key from ${table}) and ${IS_NOBODYS}
     order by address_key for update skip locked`,
  );
  if (rows.length === 0) return;
  await client.query(
    `delete from geocode_address a
     where address_key = any ($1) and ${IS_NOBODYS}
       and not exists (select from location_wait w where w.address_key = a.address_key)
       and not exists (select from contribution c where c.address_key = a.address_key)`,
    [rows.map(({ key }) => key)],
  );
}

const IS_NOBODYS = 'a.asked_by is null and a.call_id is null';
