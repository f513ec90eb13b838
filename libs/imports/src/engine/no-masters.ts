import { ImportError } from '../import-error';

/** @param cycle  null where the file does not say it */
export const noMasters = (why: string, cycle: number | null): ImportError =>
  new ImportError(
    'no_masters',
    `${why}: run "bin/donorlens import fec --cycle ${cycle ?? 'YEAR'} --masters" first. Where the running service is ` +
      'fetching them (FEC_CYCLES, DATA_SOURCE), wait until "bin/donorlens import list" shows them done',
  );
