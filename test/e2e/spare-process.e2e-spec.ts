import { execFileSync } from 'node:child_process';
import { Service } from '../support/service/service';
import { until } from '../support/until';

const commandOf = (pid: number): string => execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });

describe('npm start', () => {
  let service: Service;
  beforeAll(async () => (service = await Service.start({ QUEUE_BACKEND: 'postgres' })));
  afterAll(() => service.stop());

  it('replaces a killed api with its spare process, which answers lookups', async () => {
    await until('the first start is over', () => service.output.includes('donorlens is ready'));
    for (let isSpare = false; !isSpare;) {
      const killed = service.kill('api');
      await until('the api is restarted', () => service.run().processes.api !== killed);
      const lookUp = () =>
        service.json('/enrich/v1/age_gender/name/Mary/date/2017-07-01?format=json').catch(() => null);
      await until('a lookup is answered', lookUp);
      isSpare = commandOf(service.run().processes.api).includes('--spare'); // false if no spare was ready
    }
  });
});
