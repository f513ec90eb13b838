import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf, filesBelow } from '../../security/leaks/searched-texts';
import { type Service, KEY } from './service';

/** Columns that may contain client data: items as sent, and the chunks and addresses that are waiting. */
const ALLOWED = new Set(['result.source', 'chunk.input', 'geocode_address.street', 'geocode_address.city']);

/** Coordinates of the United States in decimal degrees; unlike them, seconds of a time follow a colon. */
const COORDINATE = /(?<![\d.:])-?(?:\d{2}|1[0-7]\d)\.\d{4,}(?!\d*[+Z])/;
/** Streets in the addresses of the tests and in the filings of the sample. */
const STREET = /zwickelmoor|\b\d{1,4} (?:main st|oak ave|2nd st apt 4|elm dr)\b/i;

/**
 * Places with a coordinate, a street or an access key that must not be there: table and column, or file.
 * @param streets - more streets, as sent
 */
export async function leaksIn(service: Service, streets: readonly string[] = []): Promise<string[]> {
  const places = [
    ...(await columnsOf(service.run().databaseUrl)),
    ...filesBelow(join(service.home, 'logs')),
    ...filesBelow(join(service.home, 'redis')),
    { name: 'output of the service', text: service.output },
  ];
  const secret = readFileSync(join(service.home, 'address-secret'), 'utf8').trim();
  return places.flatMap(({ name, text }) => leaksOf(text, name, secret, streets));
}

function leaksOf(text: string, place: string, secret: string, streets: readonly string[]): string[] {
  const found: string[] = [];
  if (text.includes(KEY)) found.push(`${place}: the key`);
  if (text.includes(secret)) found.push(`${place}: the secret of addresses`);
  if (ALLOWED.has(place)) return found;
  const coordinate = COORDINATE.exec(text);
  if (coordinate) found.push(`${place}: ${text.slice(Math.max(0, coordinate.index - 30), coordinate.index + 30)}`);
  if (STREET.test(text) || streets.some((street) => text.includes(street))) found.push(`${place}: a street`);
  return found;
}
