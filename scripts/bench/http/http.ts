import { formatCivilDay } from '@donorlens/primitives';
import { amount, whole } from '../../proof/options';
import { part } from '../../proof/report';
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
export const http = part({
  what: 'requests against bare node:http',
  options: { rounds: whole(7, 1), seconds: amount(3) },
  async run(load) {
    const service = await saying('a service is started', () => startService(process.env));
    try {
      await saying('its first import ends', () => sampleIsIn(service));
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
});

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
