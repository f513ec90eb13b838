import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { OperationsReader, OpsRequests } from '@donorlens/operations';
import { testDatabase } from '../../../../test/support';
import { renderOpsPage } from './ops-page';
import { OpsWatch } from './ops-watch';
import { opsWire } from './ops-wire';

const logger = createLogger('test', 'silent');
const away = { counts: () => Promise.resolve(null) };
const asked = { visitor: null, asked: null };

describe('what operators see while the database is away', () => {
  it('is what was last known, since when nothing is known, and that nothing is lost', async () => {
    const db = await testDatabase();
    const reader = new OperationsReader(db.pool, readConfig({}), { enrich: away, geocode: away });
    const watch = new OpsWatch(reader, new OpsRequests(db.pool), logger);
    const before = await watch.look();
    expect(before.awaySince).toBeNull();
    await db.close();
    watch.forget();
    const since = await watch.look();
    expect(since).toMatchObject({ status: before.status, awaySince: expect.any(Date) });
    expect((await watch.look()).awaySince).toEqual(since.awaySince);
    const page = renderOpsPage({ seen: since, now: new Date(), ...asked });
    expect(page).toContain('As last known at');
    expect(page.match(/The database does not answer since/g)).toHaveLength(3); // above all, and at each queue
    const words = expect.stringContaining('The database does not answer since') as string;
    expect(opsWire(since, new Date())).toMatchObject({ queues: [{ standstill: words }, { standstill: words }] });
  });

  it('is said also where nothing has been known yet', () => {
    const now = new Date('2026-11-04T12:00:00Z');
    const page = renderOpsPage({ seen: { status: null, entries: [], awaySince: now }, now, ...asked });
    expect(page).toContain('The database does not answer since 12:00:00 UTC');
    expect(page).toContain('Nothing is known of the service');
  });
});
