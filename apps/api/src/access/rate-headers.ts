import { type BucketAnswer } from '@donorlens/access-keys';
import { Problem } from '../http/problem';

/** `RateLimit` and `RateLimit-Policy` after the IETF draft: quota and window, what is left and when there is more. */
export const rateHeaders = ({ limit, remaining, resetSeconds }: BucketAnswer): Record<string, string> => ({
  'ratelimit-policy': `"requests";q=${limit};w=60`,
  ratelimit: `"requests";r=${remaining};t=${resetSeconds}`,
});

export const rateLimited = (state: BucketAnswer): Problem =>
  new Problem('rate-limited', `This key may send ${state.limit} requests a minute.`, {
    headers: { ...rateHeaders(state), 'retry-after': String(Math.max(1, state.retryAfterSeconds)) },
  });
