import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { Problem } from '../http/problem';

/** How many queries are answered at once. */
@Injectable()
export class BulkLimits {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws Problem 413 that names the way for more */
  check(queries: readonly unknown[]): void {
    const most = this.config.maxSyncQueries;
    if (queries.length <= most) return;
    throw new Problem(
      'too-many-queries',
      `At most ${most} queries are answered at once. Send more to POST /enrich/v1/batches, or send Prefer: respond-async.`,
      { headers: { link: '</enrich/v1/batches>; rel="alternate"' }, members: { limit: most } },
    );
  }
}
