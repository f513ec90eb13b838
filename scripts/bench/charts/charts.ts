import { whole, wholes } from '../../command/options';
import { command } from '../../command/report';
import { againstBare } from '../http/http';
import { importOnce, sampleIsIn } from '../service-runs';
import { type Line, reportOf } from '../measure';
import { saying } from '../measure';
import { KEY, type RunningService, startService } from '../service';
import { fileLines } from './files';
import { refreshLines } from './refresh';

const CONNECTIONS = 32;
const TURN_SECONDS = 3;

/** Charts made again and by increments, and what leaves as a file. */
export const charts = command({
  what: 'charts and downloads',
  options: {
    rows: wholes(1_000_000, 5_000_000),
    added: whole(100_000, 1),
    'csv-rows': whole(1_000_000),
    rounds: whole(5, 1),
  },
  async run({ rows: sizes, added, 'csv-rows': csvRows, rounds }) {
    const service = await saying('a service is started', () => startService(process.env));
    try {
      await saying('its first import ends', () => sampleIsIn(service));
      const files = csvRows > 0 ? await downloads(service, csvRows, rounds) : [];
      const { lines, postgres } = await refreshLines(service.databaseUrl, {
        sizes,
        added,
        rounds,
      });
      return reportOf([...lines, ...files], {
        notes: [
          'A ratio of series, increments and of the file is that of two times of one round, ours by the other’s: 1 is as fast, 2 takes twice as long; of pg-query-stream and of the cached chart it is theirs by ours and requests a second, ours by the baseline’s. Series are compared day by day, also after the increments; of the files every byte, where ours is asked to leave out the guard against formulas, which it has when it is timed.',
        ],
        versions: [`PostgreSQL ${postgres}`],
      });
    } finally {
      await service.stop();
    }
  },
});

async function downloads(service: RunningService, rows: number, rounds: number): Promise<Line[]> {
  await saying(`${rows} rows are imported`, () => importOnce(service, { rows, seed: rows, withBaseline: false }));
  const file = await fileLines(service, rounds);
  const asked = {
    what: 'a chart that is kept (cumulative donors of all candidates, CSV)',
    url: `${service.url}/data-charts/v1/cumulative_donors/candidate?cycle=2024`,
    key: KEY,
    accept: 'text/csv',
    connections: CONNECTIONS,
  };
  return [...file, ...(await againstBare(asked, { rounds, seconds: TURN_SECONDS }))];
}
