import { withinRequest } from '@donorlens/observability';
import { type FastifyInstance } from 'fastify';
import { isLongWorkUnderWay } from './turns';

/** After an answer that was alone in its turn, so many leave at once before it is tried again: one in 33 has waited in vain. */
const AT_ONCE_AFTER_ALONE = 32;

/** More than these keep what they hold from the processor's cache, and leave before the end of their turn. */
const MOST_TOGETHER = 32;

/**
 * Short answers that are made in one turn of the event loop leave together at its end. What costs most of them is to wake
 * whoever waits: a proxy or client that has many requests under way is woken by the first, and awake for the others.
 * Not while long work is under way, which would go on before them.
 */
export function gatherAnswers(fastify: FastifyInstance): void {
  let gathered: (() => void)[] = [];
  let atOnce = 0;
  const leave = (): void => {
    const those = gathered;
    gathered = [];
    if (those.length === 1) atOnce = AT_ONCE_AFTER_ALONE;
    for (const send of those) send();
  };
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (typeof payload !== 'string' || isLongWorkUnderWay()) return done(null, payload);
    if (atOnce > 0) {
      atOnce--;
      return done(null, payload);
    }
    const send = (): void => {
      try {
        done(null, payload);
      } catch (error) {
        done(error as Error); // what cannot be sent is a fault of this answer alone
      }
    };
    const together = gathered.push(() => withinRequest(request.span, send));
    if (together === 1) setImmediate(leave);
    if (together === MOST_TOGETHER) leave();
  });
}
