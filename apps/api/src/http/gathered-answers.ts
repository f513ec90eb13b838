import { type FastifyInstance } from 'fastify';

/** After an answer that was alone in its turn, so many leave at once before it is tried again. */
const ALONE = 32;

/**
 * Answers that are made in one turn of the event loop leave together at its end. What costs most of a small answer is to
 * wake whoever waits for it: a proxy or client that has many requests under way is woken by the first of them, and awake
 * for the others. A client with one request at a time does not wait for that.
 */
export function gatherAnswers(fastify: FastifyInstance): void {
  let gathered: (() => void)[] = [];
  let atOnce = 0;
  const leave = (): void => {
    const those = gathered;
    gathered = [];
    if (those.length === 1) atOnce = ALONE;
    for (const send of those) send();
  };
  fastify.addHook('onSend', (_request, _reply, payload, done) => {
    if (atOnce > 0) {
      atOnce--;
      return done(null, payload);
    }
    if (gathered.push(() => done(null, payload)) === 1) setImmediate(leave);
  });
}
