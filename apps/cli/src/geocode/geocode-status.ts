import { readConfig } from '@donorlens/config';
import { countOutcomes, readGeocoderStatus } from '@donorlens/locations';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode } from '../exit-code';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { geocoderLine, geocoderText } from './status-text';

export async function geocodeStatus(context: Context, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const { geocoder } = readConfig();
  return withPool(databaseUrlOf(), async (pool) => {
    const [status, outcomes] = await Promise.all([readGeocoderStatus(pool, geocoder), countOutcomes(pool)]);
    const { benchmark, vintage, callsAtOnce } = geocoder;
    const facts = { ...status, outcomes, callsAtOnce, benchmark, vintage };
    context.out(json ? JSON.stringify(facts, null, 2) : geocoderText(facts, new Date()).join('\n'));
    return EXIT.ok;
  });
}

/** The same in one line, as far as one line goes. */
export async function readLine(databaseUrl: string): Promise<string> {
  const { geocoder } = readConfig();
  return geocoderLine(await withPool(databaseUrl, (pool) => readGeocoderStatus(pool, geocoder)));
}
