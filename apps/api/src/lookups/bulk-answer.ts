import { ITEMS_PER_YIELD, yieldToEventLoop } from '../http/request-scheduling';

/** With the charset, which Fastify adds to strings only and not to buffers. */
export const JSON_UTF8 = 'application/json; charset=utf-8';

/** JSON text of every number of hundredths, so that a bulk answer formats none. */
export const HUNDREDTHS: readonly string[] = Array.from({ length: 10_001 }, (_, hundredths) =>
  String(hundredths / 100),
);

/**
 * The body of a bulk answer, `{"results":[…]}` in UTF-8. Yields to the event loop after each 1,000 results and turns
 * their text into bytes, because long concatenated strings cost more memory than their bytes.
 * @param isEnd - true if no query is left; `at` is the number of results so far
 * @param resultOf - JSON text of the next result; undefined if the query is invalid
 * @returns undefined if a query is invalid
 */
export async function bulkAnswer(
  isEnd: (at: number) => boolean,
  resultOf: (at: number) => string | undefined,
): Promise<string | Buffer | undefined> {
  const parts: Buffer[] = [];
  let text = '{"results":[';
  for (let at = 0; !isEnd(at); at++) {
    if (at > 0 && at % ITEMS_PER_YIELD === 0) {
      parts.push(Buffer.from(text));
      text = '';
      await yieldToEventLoop();
    }
    const result = resultOf(at);
    if (result === undefined) return undefined;
    text += at > 0 ? `,${result}` : result;
  }
  text += ']}';
  return parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)]);
}
