/** What of an answer is not even to be parsed into an object: coordinates, inner points, centres. */
const IS_COORDINATE = /^(?:coordinates|INTPT(?:LAT|LON)|CENT(?:LAT|LON))$/;

/** The value of a JSON text without its coordinates; undefined where it is none. Errors of the parser quote the text. */
export function parsedWithoutCoordinates(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (IS_COORDINATE.test(key) ? undefined : value));
  } catch {
    return undefined;
  }
}
