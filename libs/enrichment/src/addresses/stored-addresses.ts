import { type AddressKeys, type AskedAddress } from '@donorlens/locations';
import { type ChunkSpec } from '../chunk-spec';
import { itemReader } from '../item-reader';
import { ChunkAddresses } from './chunk-addresses';

/**
 * Distinct addresses of items that were enriched before, read again as they were read then; nothing else of them is
 * looked at.
 * @param input records as the intake wrote them, inflated
 */
export function storedAddresses(spec: ChunkSpec, input: Buffer, keys: AddressKeys): readonly AskedAddress[] {
  const reader = itemReader(spec, input);
  const addresses = new ChunkAddresses(keys);
  for (let row = spec.firstRow; reader.next(); row++)
    if (reader.read() === null) addresses.count(addresses.find(reader.contribution, row), true);
  return addresses.asked;
}
