import { ChartVersionWatch, refreshCharts } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Browser } from 'playwright-core';
import { type Pool } from 'pg';
import { checkPage, openBrowser, openPage, weightOf } from '../../../../../test/support/browser/browser';
import { ANA, BEN, OF_BEN, storeCampaign, storeProvenance } from '../../../../../test/support/fec-data/campaign';
import { GIFT, makePartitions, storeContributions } from '../../../../../test/support/fec-data/contribution-rows';
import { type RunningApi, runningApi } from '../../../../../test/support/service/running-api';
import { describeWith } from '../../../../../test/support/tools';
import { FILE_GUIDES } from '../../charts/file-guide';

const PATH = '/data-charts/v1/about';

describe('the about page', () => {
  let api: RunningApi;
  let page: string;
  beforeAll(async () => {
    api = await runningApi();
    const empty = await api.send(PATH);
    expect([empty.status, await empty.text()]).toEqual([200, expect.stringContaining('No candidates are loaded yet')]);
    const pool = api.app.get<Pool>(PG_POOL);
    await storeCampaign(pool);
    await storeCycleWithoutLinks(pool);
    await storeProvenance(pool);
    await storeFilings(pool, 151);
    await api.app.get(ChartVersionWatch).refreshNow();
    page = await (await fetch(`${api.url}${PATH}?token=${api.key}`)).text();
  });
  afterAll(() => api.close());

  const text = (): string => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

  it('requires a key', async () => {
    expect((await fetch(api.url + PATH)).status).toBe(401);
    const response = await api.send(PATH);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.text()).not.toContain(api.key);
  });

  it('leads to a page if a link to a file fails in a browser', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'x-api-key': api.key };
    const path = '/data-charts/v1/breakdown/candidate?by=shoe_size';
    const types = [headers, { 'x-api-key': api.key }].map(async (given) => {
      const answer = await fetch(api.url + path, { headers: given });
      return [answer.status, answer.headers.get('content-type')];
    });
    expect(await Promise.all(types)).toEqual([
      [400, 'text/html; charset=utf-8'],
      [400, 'application/problem+json'],
    ]);
  });

  it('has a command to copy with the host of the request', async () => {
    expect(text()).toContain(`'${api.url.replace('[::1]', 'localhost')}/data-charts/v1/cumulative_donors/candidate`);
    expect(text()).toContain(`candidate_id=${ANA}&amp;cycle=2020`);
    const proxied = await api.send(PATH, { headers: { 'x-forwarded-proto': 'https' } });
    expect(await proxied.text()).toContain(`https://${new URL(api.url).host}/data-charts/`);
  });

  it('has a working example for each file and each chart', async () => {
    const [, main] = page.split('<main');
    const links = [...main.matchAll(/href="(\/data-charts\/v1\/[^"]+)"/g)].map(([, link]) =>
      link.replaceAll('&amp;', '&'),
    );
    const [charts, files] = [true, false].map((asked) => links.filter((link) => link.includes('html') === asked));
    expect(new Set(files).size).toBe(FILE_GUIDES.length);
    for (const link of new Set(charts)) {
      const response = await fetch(api.url + link);
      expect([link, response.headers.get('content-type')]).toEqual([link, 'text/html; charset=utf-8']);
      expect(await response.text()).toContain(link.includes('cycle=') ? '<svg' : '<h1>Choose a ');
    }
    for (const link of files) {
      const response = await fetch(api.url + link);
      expect([link, response.status]).toEqual([link, 200]);
      const hasRows = !link.includes('/overlap/'); // the newest cycle has only one candidate
      expect([link, (await response.text()).split('\n').length > 2]).toEqual([link, hasRows]);
    }
  });

  it('has every column of every file with its meaning', () => {
    for (const { columns } of FILE_GUIDES)
      for (const [name, { meaning }] of Object.entries(columns)) {
        expect(page).toContain(`<code>${name}</code>`);
        expect(page.replaceAll('&#39;', "'")).toContain(meaning.replaceAll('&', '&amp;'));
      }
  });

  it('shows the loaded data with sources and dates, and marks it as sample data', () => {
    expect(text()).toContain('Sample data. These candidates, committees and donors are synthetic.');
    expect(text()).toMatch(/2016 synthetic sample 2 2 5 111 2015-01-04/);
    expect(text()).toMatch(/2020 synthetic sample 1 1 1 25 2019-02-01/);
    expect(text()).toMatch(/candidates 2016, synthetic sample, 2026-01-02 fec\/2016\/cn16\.zip sha256 a{64}/);
    expect(text()).toMatch(/contributions 2016, 5 rows, synthetic sample, 2026-01-03 .*?indiv16\.zip sha256 b{64}/);
    expect(text()).toContain(
      'Cycle Donors Coarser key Difference Near-duplicate pairs Donors in pairs 2016 4 2 50% 0 0% 2020 1 1 0% 0 0%',
    );
    expect(text()).toContain('These charts use version 1 of the donor key.');
    expect(text()).toContain('52 U.S.C. 30111(a)(4)');
    expect(text()).toMatch(/ssa\/names\.zip/);
  });

  it('states the limits of the data', () => {
    expect(text()).toMatch(/Only electronic filings have street addresses, .* GEOCODE_STATUS is SKIPPED/);
    expect(text()).toContain('their county is the one where most people of the ZIP code live');
    expect(text()).toMatch(/Post office boxes, .* An ambiguous address is a TIE and has no tract or block/);
    expect(text()).toMatch(/vintage Census2020_Current , .* benchmark Public_AR_Current/);
    expect(text()).toContain('Household income is the 2018 median of the county');
    expect(text()).toContain('Contributions under $200 are included if a committee or a conduit itemizes them');
    expect(text()).toContain('A date before 1975');
  });

  it('counts all filings and lists the newest, without local paths', () => {
    expect(text()).toMatch(/electronic filing, 3 rows, .*? fec\/filings\/1150\.fec .* And 141 more filings\./);
    expect(text().match(/electronic filing,/g)).toHaveLength(10);
    expect(page).not.toMatch(/file:|somewhere/);
  });

  describeWith('chromium')('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    it('passes the checks of every page, with all columns open', async () => {
      const page = await openPage(browser);
      await page.goto(`${api.url}${PATH}?token=${api.key}`);
      for (const summary of await page.$$('summary')) await summary.click();
      await checkPage(page);
      expect(await weightOf(page)).toBeLessThan(30_000);
      await page.close();
    });

    it('links its chart to the page of the cycle, and that page to the ages', async () => {
      const page = await openPage(browser);
      await page.goto(`${api.url}${PATH}?token=${api.key}`);
      await page.click('figcaption a');
      expect(await page.textContent('h1')).toBe('Ana É. Madeup had 3 donors in 2016, Ben =Cmd 1');
      await page.click('text=Ages of the donors of these candidates');
      expect(await page.textContent('h1')).toContain('Ana É. Madeup’s and Ben =Cmd’s donors');
      await page.close();
    });
  });
});

/** Stores a candidate and a contribution of 2024, but no link between them. */
async function storeCycleWithoutLinks(pool: Pool): Promise<void> {
  await pool.query(
    `insert into candidate select (jsonb_populate_record(c, '{"cycle": 2024}')).* from candidate c where cand_id = $1`,
    [BEN],
  );
  await makePartitions(pool, [2024]);
  await storeContributions(pool, [
    { ...GIFT, rowId: 3000, cycle: 2024, receivedOn: '2023-02-01', committeeId: OF_BEN },
  ]);
  await refreshCharts(pool);
}

/** Stores filings from a local folder, numbered from 1000. */
async function storeFilings(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `with stored as (
       insert into fec_import (kind, cycle, label, source, state, epoch, rows_kept, finished_at)
       select 'filing', 2020, 'folder', 'file:///srv/fec/somewhere/fec/filings/' || n || '.fec', 'done', 1, 3, '2026-01-03T03:04:05Z'
       from generate_series(1000, 999 + $1::int) n returning id, source)
     insert into filing (file_num, import_id, cmte_id, form_type, version, original, report_code, state)
     select substring(source from '[0-9]+')::bigint, id, 'C00000001', 'F3PN', '8.3', 1, 'Q1', 'current' from stored`,
    [count],
  );
}
