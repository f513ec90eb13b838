import { parseArgs } from 'node:util';
import { type Part } from '../../proof/report';
import { againstBare } from '../http/against-bare';
import { importOnce, sampleIsIn } from '../imports';
import { type Line, reportOf } from '../lines';
import { saying } from '../progress';
import { KEY, type RunningService, startService } from '../service';
import { fileLines } from './file-lines';
import { refreshLines } from './refresh-lines';

const CONNECTIONS = 32;
const TURN_SECONDS = 3;

/** Charts made anew and by increments, and what leaves as a file. */
export const charts: Part = {
  what: 'charts and downloads: --rows N[,N] --added N --csv-rows N (0 for none) --rounds N',
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string', default: '1000000,5000000' },
        added: { type: 'string', default: '100000' },
        'csv-rows': { type: 'string', default: '1000000' },
        rounds: { type: 'string', default: '5' },
      },
    });
    const rounds = Number(values.rounds);
    const service = await saying('a service is started', () => startService(process.env));
    try {
      await saying('its first import ends', () => sampleIsIn(service));
      const csvRows = Number(values['csv-rows']);
      const files = csvRows > 0 ? await downloads(service, csvRows, rounds) : [];
      const { lines, postgres } = await refreshLines(service.databaseUrl, {
        sizes: values.rows.split(',').map(Number),
        added: Number(values.added),
        rounds,
      });
      return reportOf([...lines, ...files], {
        notes: [
          'A ratio of series, increments and of the file is that of two times of one round, ours by the other’s: 1 is as fast, 2 takes twice as long; of pg-query-stream and of the cached chart it is theirs by ours and requests a second, ours by the floor’s. Series are compared day by day, also after the increments; of the files every byte, where ours is asked to leave out the guard against formulas, which it has when it is timed.',
        ],
        versions: [`PostgreSQL ${postgres}`],
      });
    } finally {
      await service.stop();
    }
  },
};

async function downloads(service: RunningService, rows: number, rounds: number): Promise<Line[]> {
  await saying(`${rows} rows are imported`, () => importOnce(service, { rows, seed: rows, withFloor: false }));
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
