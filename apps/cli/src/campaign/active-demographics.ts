import { readConfig } from '@donorlens/config';
import { type Demographics } from '@donorlens/demographics';
import { type ReleaseRepository, activeRelease } from '@donorlens/reference-data';

/** Tables of the active data release for the ages of groups of donors; null before one is active. */
export const demographicsOf = (releases: ReleaseRepository) => async (): Promise<Demographics | null> =>
  (await activeRelease(readConfig().home, releases))?.demographics ?? null;
