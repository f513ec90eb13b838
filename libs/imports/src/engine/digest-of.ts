import { createHash } from 'node:crypto';

/** Tells one set of committees from another. */
export const digestOf = (ids: ReadonlySet<string>): string =>
  createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);
