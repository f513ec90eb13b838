import { type Batch, type BatchRepository } from '@donorlens/batches';
import { type FastifyRequest } from 'fastify';
import { identityOf } from '../access/access.hook';
import { Problem } from '../http/problem';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The same for a batch that is not there and one of another key. */
export const unknownBatch = (): Problem => new Problem('not-found', 'This key has no such batch.');

/** The batch of that id if it belongs to the request's key. @throws Problem 404 */
export async function ownBatch(
  batches: BatchRepository,
  request: FastifyRequest,
  id: string,
): Promise<{ batch: Batch; owner: string }> {
  const owner = identityOf(request).id;
  const batch = UUID.test(id) ? await batches.get(owner, id) : null;
  if (batch === null) throw unknownBatch();
  return { batch, owner };
}
