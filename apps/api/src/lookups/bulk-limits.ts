import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { type FastifyRequest } from 'fastify';
import { preferencesOf } from '../http/prefer';
import { Problem } from '../http/problem';

/** How many queries are answered at once. */
@Injectable()
export class BulkLimits {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Queries in one synchronous request. */
  get most(): number {
    return this.config.maxSyncQueries;
  }

  /**
   * True where the queries are to become a batch: the client prefers not to wait, or not longer than it takes
   * (RFC 7240: `respond-async, wait=N` asks for 202 only where the answer would take more than N seconds).
   */
  isBatch({ headers }: FastifyRequest, queries: readonly unknown[]): boolean {
    const { respondAsync, waitSeconds = 0 } = preferencesOf(headers.prefer);
    return respondAsync && (waitSeconds < 1 || queries.length > this.most);
  }

  /** @throws Problem 413 that names the way for more */
  check(queries: readonly unknown[]): void {
    const { most } = this;
    if (queries.length <= most) return;
    throw new Problem(
      'too-many-queries',
      `At most ${most} queries are answered at once. Send more to POST /enrich/v1/batches, or send Prefer: respond-async.`,
      { headers: { link: '</enrich/v1/batches>; rel="alternate"' }, members: { limit: most } },
    );
  }
}
