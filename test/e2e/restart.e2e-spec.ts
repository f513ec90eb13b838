import { rmSync } from 'node:fs';
import { Service } from '../support/service';
import { contributionsCsv } from '../support/contributions';
import { until } from '../support/until';

describe('a home', () => {
  it('keeps batches, keys and the data release over a clean stop and a second start', async () => {
    const first = await Service.start({ LOG_LEVEL: 'warn' });
    const { home } = first;
    try {
      const batch = await first.json('/enrich/v1/batches?type=contributions', {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: [...contributionsCsv(1500)].join(''),
      });
      await until('completed', async () => (await first.json(`/enrich/v1/batches/${batch.id}`)).state === 'completed');
      const results = await first.text(`/enrich/v1/batches/${batch.id}/results`);
      const release = (await first.json('/health/ready')).release;
      expect(await first.stop(true)).toBe(0);

      const second = await Service.start({ LOG_LEVEL: 'warn' }, home);
      try {
        expect((await second.json('/health/ready')).release).toBe(release);
        expect(await second.text(`/enrich/v1/batches/${batch.id}/results`)).toBe(results);
      } finally {
        expect(await second.stop(true)).toBe(0);
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }, 180_000);
});
