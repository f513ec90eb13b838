import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { OFFICIAL_DATA, describeWith } from '../../../test/support/tools';
import { type PostalAddress, normalisedAddress, sentAddress, unsendableReason } from './address';

describeWith('official data')('two thousand real addresses', () => {
  const recordsIn = (file: string): string[][] =>
    parse(readFileSync(join(OFFICIAL_DATA, 'census/geocoder', file), 'latin1'), { relax_column_count: true });
  const addresses = new Map<string, PostalAddress>();
  const outcomes = new Map<string, string>();
  beforeAll(() => {
    for (const [id, street, city, state, zip] of recordsIn('hospitals-batch-input.csv'))
      addresses.set(id, { street, city, state, zip });
    for (const [id, , outcome] of recordsIn('hospitals-locations-addressbatch.csv')) outcomes.set(id, outcome);
  });

  it('are geocoded, except for eight boxes that the geocoder has not found either', () => {
    const refused = [...addresses].filter(([, address]) => unsendableReason(address) !== null);
    expect(refused.map(([, address]) => unsendableReason(address))).toEqual(Array(8).fill('po_box'));
    expect(refused.map(([id]) => outcomes.get(id))).toEqual(Array(8).fill('No_Match'));
  });

  it('have different keys', () => {
    const asked = [...addresses.values()].filter((address) => unsendableReason(address) === null);
    expect(new Set(asked.map(normalisedAddress)).size).toBe(1_992);
  });

  it('are sent with five digits, also without their leading zeros', () => {
    const sent = [...addresses.values()].map((address) => [address.zip, sentAddress(address).zip]);
    expect(sent.filter(([written]) => written.length < 5)).toHaveLength(177);
    expect(sent.filter(([written, zip]) => zip !== written.padStart(5, '0'))).toEqual([]);
  });
});
