import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Browser } from 'playwright-core';
import { type Pool } from 'pg';
import { checkPage, openBrowser, openPage, weightOf } from '../../../../../test/support/browser';
import {
  ANA,
  BEN,
  CAM,
  OF_ANA,
  storeCampaign,
  storeHouseCandidate,
  storeProvenance,
} from '../../../../../test/support/campaign';
import { type RunningApi, runningApi } from '../../../../../test/support/running-api';
import { describeWith } from '../../../../../test/support/tools';

/** With styles and scripts, as it travels. */
const MAX_BYTES = 60_000;

describe('pages of candidates', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
    const early = await api.send(`/candidates/${ANA}`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    const pool = api.app.get<Pool>(PG_POOL);
    await storeCampaign(pool);
    await storeHouseCandidate(pool);
    await storeProvenance(pool);
    await api.app.get(ChartVersionWatch).refreshNow();
  });
  afterAll(() => api.close());

  const page = async (path: string): Promise<string> => (await (await api.send(path)).text()).replace(/<!-- -->/g, '');
  const textOf = (html: string): string => html.replace(/<[^>]+>/g, '').replaceAll('&#39;', "'");
  const headlineOf = async (path: string): Promise<string> => textOf(/<h1.*?<\/h1>/s.exec(await page(path))![0]);
  const headingsOf = async (path: string): Promise<string[]> =>
    [...(await page(path)).matchAll(/<h3>(.*?)<\/h3>/gs)].map(([, html]) => textOf(html));

  describe('one candidate', () => {
    it('begin with the newest cycle, and show another by its year', async () => {
      expect(await headlineOf(`/candidates/${ANA}`)).toBe('Ana É. Madeup had 1 donor in 2020');
      const html = await page(`/candidates/${ANA.toLowerCase()}?cycle=2016`);
      expect(textOf(html)).toContain('Ana É. Madeup had 3 donors in 2016');
      expect(html).toContain('Candidate for President');
      expect(html).toContain(`<code>${OF_ANA}</code>, principal committee`);
      expect(html).toMatch(/<dt>Amount, net of refunds<\/dt><dd>\$\d/);
    });

    it('have a chart for each attribute, and say of fewer than 100 donors that shares differ by chance', async () => {
      const small = `/candidates/${ANA}?cycle=2016`;
      expect(await headingsOf(small)).toEqual([
        ...['State', 'Sex', 'Age by name', 'Ethnicity', 'Income of the county', 'Occupation'],
        ...['Total by donor', 'Returning donors', 'Donors of others, too'],
      ]);
      expect(await page(small)).toContain('Fewer than 100 donors.');
    });

    it('name the district of a candidate for House', async () => {
      expect(await page(`/candidates/${CAM}`)).toContain('Candidate for House, ZZ-06');
    });

    it('say which import brings what is missing', async () => {
      const html = await page(`/candidates/${BEN}?cycle=2020`);
      expect(textOf(html)).toContain('Ben =Cmd has no donors in the loaded data');
      expect(html).toContain('Loaded cycles: 2016, 2020. Load another with <code>bin/donorlens import fec --cycle');
      const ben = await page(`/candidates/${BEN}`);
      expect(ben).toContain('No donor of the cycle gave to another candidate');
    });

    it('are not there for an unknown candidate', async () => {
      for (const id of ['P99999999', 'nobody', OF_ANA]) expect((await api.send(`/candidates/${id}`)).status).toBe(404);
      expect((await api.send(`/candidates/${ANA}?cycle=2015`)).status).toBe(400);
    });

    it('are revalidated by their tag', async () => {
      const etag = (await api.send(`/candidates/${ANA}`)).headers.get('etag')!;
      expect((await api.send(`/candidates/${ANA}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    });

    it('are linked from the charts, except where the key is in the address', async () => {
      const lines = `/data-charts/v1/cumulative_donors/candidate?candidate_id=${ANA}&cycle=2016&format=html`;
      const ages = `/data-charts/v1/age_distribution/committee?committee_id=${OF_ANA}&cycle=2016&format=html`;
      for (const path of [lines, ages, '/data-charts/v1/about'])
        expect(await page(path)).toContain(`href="/candidates/${ANA}`);
      const withKey = await (await fetch(`${api.url}${lines}&token=${api.key}`)).text();
      expect(withKey).not.toContain('/candidates/');
    });
  });

  describeWith('chromium')('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser.close());
    const open = async (path: string, options = {}) => {
      const tab = await openPage(browser, { extraHTTPHeaders: { 'x-api-key': api.key }, ...options });
      await tab.goto(api.url + path);
      return tab;
    };

    it.each([`/candidates/${ANA}?cycle=2016`, `/candidates/${BEN}?cycle=2020`, '/candidates/P99999999'])(
      'are as each page has to be: %s',
      async (path) => {
        const tab = await open(path);
        for (const summary of await tab.$$('summary')) await summary.click();
        await checkPage(tab);
        expect(await weightOf(tab)).toBeLessThan(MAX_BYTES);
        await tab.close();
      },
    );
  });
});
