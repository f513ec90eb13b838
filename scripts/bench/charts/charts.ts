import { whole, wholes } from '../../command/options';
import { command } from '../../command/report';
import { againstBare } from '../http/http';
import { importOnce, untilSampleIsImported } from '../service-runs';
import { type Line, reportOf, reportStep } from '../measure';
import { type RunningService, startService } from '../service';
import { fileLines } from './files';
import { refreshLines } from './refresh';

const CONNECTIONS = 32;
const MEASUREMENT_SECONDS = 3;

/** Measures full and incremental refresh of charts, and CSV downloads. */
export const charts = command({
  what: 'charts and downloads',
  options: {
    rows: wholes(1_000_000, 5_000_000),
    added: whole(100_000, 1),
    'csv-rows': whole(1_000_000),
    rounds: whole(5, 1),
  },
  async run({ rows: sizes, added, 'csv-rows': csvRows, rounds }) {
    const service = await reportStep('a service is started', () => startService(process.env));
    try {
      await reportStep('its first import ends', () => untilSampleIsImported(service));
      const files = csvRows > 0 ? await downloads(service, csvRows, rounds) : [];
      const lines = await refreshLines(service.databaseUrl, { sizes, added, rounds });
      return reportOf(
        [...lines, ...files],
        'Ratios of series, increments and the file are times: 2 takes twice as long as the baseline. The ratio of the cached chart is requests per second. Series are compared day by day, also after the increments. Files are compared byte by byte without the guard against formulas, and timed with it.',
      );
    } finally {
      await service.stop();
    }
  },
});

async function downloads(service: RunningService, rows: number, rounds: number): Promise<Line[]> {
  await reportStep(`${rows} rows are imported`, () => importOnce(service, rows));
  const file = await fileLines(service, rounds);
  const asked = {
    what: 'a cached chart (cumulative donors of all candidates, CSV)',
    url: `${service.url}/data-charts/v1/cumulative_donors/candidate?cycle=2024`,
    accept: 'text/csv',
    connections: CONNECTIONS,
  };
  return [...file, ...(await againstBare(asked, { rounds, seconds: MEASUREMENT_SECONDS }))];
}
