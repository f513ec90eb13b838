import { type Release, type ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply } from 'fastify';
import { Problem } from './problem';

/** The data release that answers this request; sets the header Data-Version. @throws Problem 503 before the first data release is loaded */
export function pinRelease(releases: ReleaseHolder, reply: FastifyReply): Release {
  const release = releases.current();
  if (release === null)
    throw new Problem('unavailable', 'The reference data is not loaded yet.', { headers: { 'retry-after': '5' } });
  void reply.header('data-version', release.id);
  return release;
}
