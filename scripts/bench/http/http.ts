import { parseArgs } from 'node:util';
import { formatCivilDay } from '@donorlens/primitives';
import { type Part } from '../../proof/report';
import { sampleIsIn } from '../imports';
import { reportOf } from '../lines';
import { donorWeighted } from '../people';
import { saying } from '../progress';
import { KEY, type RunningService, startService } from '../service';
import { type Load, againstBare } from './against-bare';

const QUERIES = 1_000;
const SINGLE = { connections: 32, reach: 0.6 };
const BULK = { connections: 8, reach: 0.85 };

/** Requests of a service as `npm start` runs it. */
export const http: Part = {
  what: 'requests against bare node:http: --rounds N --seconds N (of one turn)',
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: { rounds: { type: 'string', default: '7' }, seconds: { type: 'string', default: '3' } },
    });
    const service = await saying('a service is started', () => startService(process.env));
    try {
      await saying('its first import ends', () => sampleIsIn(service));
      const load = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
      return reportOf([...(await single(service, load)), ...(await bulk(service, load))], {
        notes: [
          'A ratio is that of two rates of one round, ours by the floor’s: 1 is as many requests as the floor answers. The load generator has one of the machine’s cores when either is asked. The answers are compared first.',
        ],
        versions: [],
      });
    } finally {
      await service.stop();
    }
  },
};

const single = ({ url }: RunningService, load: Load) =>
  againstBare(
    {
      what: 'ethnicity of one surname (GET), the key checked',
      url: `${url}/enrich/v1/ethnicity/surname/Garcia/year/2016`,
      key: KEY,
      accept: 'application/json',
      connections: SINGLE.connections,
    },
    load,
    SINGLE.reach,
  );

function bulk({ url }: RunningService, load: Load) {
  const { names, days } = donorWeighted(QUERIES);
  const queries = names.map((name, i) => ({ date: formatCivilDay(days[i]), name }));
  return againstBare(
    {
      what: `age and gender of ${QUERIES.toLocaleString('en-US')} donors (POST), against JSON.parse and JSON.stringify too`,
      url: `${url}/enrich/v1/age_gender`,
      key: KEY,
      accept: 'application/json',
      body: JSON.stringify({ queries }),
      connections: BULK.connections,
    },
    load,
    BULK.reach,
  );
}
