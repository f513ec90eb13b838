import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import { OperationsReader, OperationsWatch, OpsRequests } from '@donorlens/operations';
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
    const watch = new OpsWatch(new OperationsWatch(reader, logger), new OpsRequests(db.pool));
    const before = await watch.look();
    expect(before.trouble).toBeNull();
    await db.close();
    watch.forget();
    const since = await watch.look();
    expect(since).toMatchObject({ status: before.status, trouble: { kind: 'away', since: expect.any(Date) } });
    expect((await watch.look()).trouble).toEqual(since.trouble);
    const page = renderOpsPage({ seen: since, now: new Date(), ...asked });
    expect(page).toContain('As last known at');
    expect(page.match(/The database does not answer since/g)).toHaveLength(3); // above all, and at each queue
    const words = expect.stringContaining('The database does not answer since') as string;
    expect(opsWire(since, new Date())).toMatchObject({ queues: [{ standstill: words }, { standstill: words }] });
  });

  it('is what was last known of queues that may well move where it is only slow', async () => {
    const db = await testDatabase();
    const status = await new OperationsReader(db.pool, readConfig({}), { enrich: away, geocode: away }).status();
    await db.close();
    const now = new Date('2026-11-04T12:00:00Z');
    const seen = { status, entries: [], trouble: { kind: 'slow', since: now } } as const;
    const page = renderOpsPage({ seen, now, ...asked });
    expect(page.match(/The database answers, but has not told/g)).toHaveLength(1);
    expect(page).not.toContain('does not answer since');
    expect(opsWire(seen, now)).toMatchObject({
      ...{ database_away_since: null, database_slow_since: now },
      queues: [{ standstill: null }, { standstill: null }],
    });
  });

  it('is said also where nothing has been known yet', () => {
    const now = new Date('2026-11-04T12:00:00Z');
    const page = renderOpsPage({
      seen: { status: null, entries: [], trouble: { kind: 'away', since: now } },
      now,
      ...asked,
    });
    expect(page).toContain('The database does not answer since 12:00:00 UTC');
    expect(page).toContain('Nothing is known of the service');
  });
});
