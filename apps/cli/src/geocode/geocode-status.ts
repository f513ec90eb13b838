import { readConfig } from '@donorlens/config';
import { type GeocoderStatus, countOutcomes, readGeocoderStatus, waitingSettings } from '@donorlens/locations';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode } from '../exit-code';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { geocoderText } from './status-text';

export async function geocodeStatus(context: Context, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const { geocoder } = readConfig();
  return withPool(databaseUrlOf(), async (pool) => {
    const [status, outcomes, waitingUnder] = await Promise.all([
      readGeocoderStatus(pool, geocoder),
      countOutcomes(pool),
      waitingSettings(pool),
    ]);
    const { benchmark, vintage, callsAtOnce } = geocoder;
    const facts = { ...status, outcomes, callsAtOnce, benchmark, vintage, waitingUnder };
    context.out(json ? JSON.stringify(facts, null, 2) : geocoderText(facts, new Date()).join('\n'));
    return EXIT.ok;
  });
}

/** For other commands; it asks the database, never the geocoder. */
export async function readStatus(databaseUrl: string): Promise<GeocoderStatus> {
  const { geocoder } = readConfig();
  return withPool(databaseUrl, (pool) => readGeocoderStatus(pool, geocoder));
}
