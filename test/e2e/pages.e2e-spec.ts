import { randomUUID } from 'node:crypto';
import { PG_POOL } from '@donorlens/database';
import { RUNS } from '@donorlens/operations';
import { ChunkProducer } from '@donorlens/queues';
import { type Pool } from 'pg';
import { type Browser, type Page } from 'playwright-core';
import { checkPage, openBrowser, openPage, signIn, weightOf } from '../support/browser/browser';
import { type RunningApi, runningApi } from '../support/service/running-api';
import { describeWith } from '../support/tools';

/** Maximum transfer size of a page with its styles and scripts. */
const MAX_BYTES = 30_000;

const DAY = '/date/2017-07-01';
const NAMES = '/enrich/v1/age_gender/name/';
const SURNAMES = '/enrich/v1/ethnicity/surname/';

/** Every page in each of its states. A new page needs a line here. */
const PAGES: readonly (readonly [what: string, path: string])[] = [
  ['start page', '/'],
  ['a name', `${NAMES}Mary${DAY}`],
  ['a name that was usual twice', `${NAMES}Emma${DAY}?min_age=18`],
  ['a name of both sexes', `${NAMES}Casey${DAY}`],
  ['names that are compared', `${NAMES}Mary${DAY}?compare=James`],
  ['an unknown name', `${NAMES}${'x'.repeat(200)}${DAY}`],
  ['a surname', `${SURNAMES}Garcia/year/2016?format=html`],
  ['a surname with withheld shares', `${SURNAMES}Benally/year/2004?format=html`],
  ['an unknown surname', `${SURNAMES}${'x'.repeat(200)}/year/2016?format=html`],
  ['data and charts', '/data-charts/v1/about'],
  ['a search for a name', '/search?q=mary'],
  ['an upload', '/upload'],
  ['batches', '/batches'],
  ["the operators' console", '/ops'],
  ['a list of jobs', '/ops/queues'],
  ['a question with a fault', `${NAMES}Mary/date/never`],
  ['nothing', '/nowhere'],
  ['an address of forms', '/session'],
];

/** Pages without sign-in. */
const OPEN_PAGES: typeof PAGES = [
  ['start page', '/'],
  ['the endpoints', '/docs'],
  ['the guide', '/guide'],
  ['its longest page', '/guide/runbook'],
  ['its widest tables', '/guide/data-dictionary'],
  ['its drawing', '/guide/architecture'],
  ['the sign-in after a wrong key', '/sign-in?wrong=true&next=%2Fupload'],
  ['a door that needs a key', `${NAMES}Mary${DAY}`],
];

describeWith('chromium')('every page', () => {
  let api: RunningApi;
  let browser: Browser;
  let signedIn: Awaited<ReturnType<typeof session>>;
  const session = async () => {
    const page = await openPage(browser);
    await signIn(page, api.url, api.key);
    const state = await page.context().storageState();
    await page.context().close();
    return state;
  };
  beforeAll(async () => {
    [api, browser] = await Promise.all([runningApi(), openBrowser()]);
    signedIn = await session();
    // the console shows this message, which is one long word
    await api.app.get<Pool>(PG_POOL).query(
      `insert into job_run (kind, scheduled_for, state, finished_at, detail)
       values ($1, now(), 'failed', now(), jsonb_build_object('message', 'https://www.example.org/' || repeat('path', 50) || ': gone'))`,
      [RUNS.referenceData],
    );
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const check = async (path: string, storageState?: typeof signedIn): Promise<void> => {
    const page = await openPage(browser, { storageState });
    await page.goto(api.url + path);
    await checkPage(page);
    expect(await weightOf(page)).toBeLessThan(MAX_BYTES);
    await page.context().close();
  };

  it.each(PAGES)('has no accessibility violation: %s', (_what, path) => check(path, signedIn));
  it.each(OPEN_PAGES)('has no accessibility violation before sign-in: %s', (_what, path) => check(path));

  describe('the pages of operations', () => {
    let page: Page;
    beforeAll(async () => {
      const sent = await api.post('/enrich/v1/batches?type=ethnicity', '{"surname":"Smith","year":2016}\n', {
        'content-type': 'application/x-ndjson',
      });
      expect(sent.status).toBe(202);
      page = await openPage(browser, { storageState: signedIn });
    });

    it('have no accessibility violation in the list of jobs, which is updated in place', async () => {
      await page.goto(`${api.url}/ops/queues`);
      await page.getByRole('region', { name: 'Enrichment' }).getByText('waiting').waitFor();
      await checkPage(page);
      await api.app.get(ChunkProducer).enqueue([{ batchId: randomUUID(), seq: 1234 }]);
      await page.getByText('chunk 1234').waitFor();
    });

    it('ask for confirmation before a batch is cancelled', async () => {
      await page.goto(`${api.url}/ops`);
      await page.getByText(/^Cancel…/).click();
      await page.getByRole('button', { name: /^Cancel batch/ }).waitFor();
      await checkPage(page);
    });

    it('keep an open confirmation and its focus while a batch is added before its batch', async () => {
      await page.goto(`${api.url}/ops`);
      await page.getByText(/^Cancel…/).click();
      const confirmation = page.getByRole('button', { name: /^Cancel batch/ });
      await confirmation.focus();
      const sent = await api.post('/enrich/v1/batches?type=ethnicity', '{"surname":"Jones","year":2016}\n', {
        'content-type': 'application/x-ndjson',
      });
      const { id } = (await sent.json()) as { id: string };
      const db = api.app.get<Pool>(PG_POOL);
      await db.query(`update batch set created_at = created_at - interval '1 hour' where id = $1`, [id]);
      await page.locator(`#open-${id}`).waitFor();
      expect(await page.locator('tbody tr[id^=open-]').first().getAttribute('id')).toBe(`open-${id}`);
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Cancel batch/);
      expect(await page.locator('details[open]').count()).toBe(1);
    });
  });
});
