import { inPieces } from '../http/turns';

/** Said in full, for the framework adds the charset to texts alone. */
export const JSON_UTF8 = 'application/json; charset=utf-8';

/** JSON text of every number of hundredths, so that a bulk answer formats none. */
export const HUNDREDTHS: readonly string[] = Array.from({ length: 10_001 }, (_, hundredths) =>
  String(hundredths / 100),
);

/**
 * The answer to a bulk body, JSON in UTF-8, put together of the texts of its results in their order; undefined where one
 * has none. The text of a long one becomes bytes piece by piece: megabytes of short texts cost more to keep than to make.
 */
export async function bulkAnswer(
  count: number,
  resultOf: (at: number) => string | undefined,
): Promise<string | Buffer | undefined> {
  const parts: Buffer[] = [];
  let text = '{"results":[';
  let done = 0;
  await inPieces(count, (from, to) => {
    if (from > 0) {
      parts.push(Buffer.from(text));
      text = '';
    }
    for (; done < to; done++) {
      const result = resultOf(done);
      if (result === undefined) return false;
      text += done > 0 ? `,${result}` : result;
    }
    return true;
  });
  if (done < count) return undefined;
  text += ']}';
  return parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)]);
}
