import { readConfig } from '@donorlens/config';
import { type Demographics } from '@donorlens/demographics';
import { type ReleaseRepository, activeRelease } from '@donorlens/reference-data';

/** Demographic tables of the active data release, from which charts compute donor ages; null without a release. */
export const demographicsOf = (releases: ReleaseRepository) => async (): Promise<Demographics | null> =>
  (await activeRelease(readConfig().home, releases))?.demographics ?? null;
