import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Browser, type Page } from 'playwright-core';
import { type Pool } from 'pg';
import { RateLimiter } from '../../access/rate-limiter';
import { checkPage, openBrowser, openPage, signIn, tabTo, weightOf } from '../../../../../test/support/browser/browser';
import {
  ANA,
  BEN,
  CAM,
  OF_ANA,
  OF_BEN,
  storeCampaign,
  storeHouseCandidate,
  storeProvenance,
} from '../../../../../test/support/fec-data/campaign';
import { type RunningApi, runningApi } from '../../../../../test/support/service/running-api';
import { describeWith } from '../../../../../test/support/tools';
import { until } from '../../../../../test/support/until';

/** Maximum transferred size of a page with styles and scripts. */
const MAX_BYTES = 60_000;

describe('pages of candidates', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHART_EMBEDS: 'public' });
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

  describe('of one candidate', () => {
    it('show the newest cycle by default, and another one by its year', async () => {
      expect(await headlineOf(`/candidates/${ANA}`)).toBe('Ana É. Madeup had 1 donor in 2020');
      const html = await page(`/candidates/${ANA.toLowerCase()}?cycle=2016`);
      expect(textOf(html)).toContain('Ana É. Madeup had 3 donors in 2016');
      expect(html).toContain('Candidate for President');
      expect(html).toContain(`<code>${OF_ANA}</code>, principal committee`);
      expect(html).toMatch(/<dt>Amount, net of refunds<\/dt><dd>\$\d/);
    });

    it('have a chart for each attribute, and warn about fewer than 100 donors', async () => {
      const small = `/candidates/${ANA}?cycle=2016`;
      expect(await headingsOf(small)).toEqual([
        ...['State', 'Gender', 'Age by name', 'Ethnicity', 'Income of the county', 'Occupation'],
        ...['Amount by donor', 'Returning donors', 'Donors shared with others'],
      ]);
      expect(await page(small)).toContain('Fewer than 100 donors.');
    });

    it('name the district and party of a candidate for the House', async () => {
      expect(await page(`/candidates/${CAM}`)).toContain('Candidate for House, ZZ-06 · independent · ');
    });

    it('answer 404 for an unknown candidate', async () => {
      for (const id of ['P99999999', 'unknown', OF_ANA]) expect((await api.send(`/candidates/${id}`)).status).toBe(404);
      expect((await api.send(`/candidates/${ANA}?cycle=2015`)).status).toBe(400);
    });

    it('are revalidated by their ETag', async () => {
      const etag = (await api.send(`/candidates/${ANA}`)).headers.get('etag')!;
      expect((await api.send(`/candidates/${ANA}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    });

    it('are linked from the charts, unless the key is in the URL', async () => {
      const lines = `/data-charts/v1/cumulative_donors/candidate?candidate_id=${ANA}&cycle=2016&format=html`;
      const ages = `/data-charts/v1/age_distribution/committee?committee_id=${OF_ANA}&cycle=2016&format=html`;
      for (const path of [lines, ages, '/data-charts/v1/about'])
        expect(await page(path)).toContain(`href="/candidates/${ANA}`);
      const withKey = await (await fetch(`${api.url}${lines}&token=${api.key}`)).text();
      expect(withKey).not.toContain('/candidates/');
    });
  });

  describe('of a comparison', () => {
    const TWO = `/compare?id=${ANA}&id=${BEN}`;

    it('state how the first two candidates differ, in the newest cycle that most of them have', async () => {
      expect(await headlineOf(TWO)).toBe('Ana É. Madeup had 3 donors in 2016, Ben =Cmd 1');
      expect(await headlineOf(`/compare?id=${ANA}`)).toBe('Ana É. Madeup had 1 donor in 2020');
      const html = await page(`${TWO}&cycle=2020`);
      expect(textOf(html)).toContain('No donors are loaded in 2020: Ben =Cmd.');
      const committees = `/compare?id=${OF_ANA}&id=${OF_BEN}&cycle=2020`;
      expect(textOf(await page(committees))).toContain(`No donors are loaded in 2020: Friends, ${OF_BEN}.`);
    });

    it('mark groups of fewer than 100 donors, which have their own scale', async () => {
      const html = textOf(await page(TWO));
      expect(html).toContain('Ben =Cmd, 1 donor: fewer than 100, own scale');
      expect(html).toContain('Ben =Cmd, 1 donor: fewer than 100Donors');
      expect(html).toContain('1 donor in 2016, own scale');
    });

    it('show the ages of committees by name, 18 or older', async () => {
      const html = await page(`/compare?id=${OF_ANA}&id=${OF_BEN}&cycle=2016`);
      expect(textOf(html)).toContain('Ana É. Madeup’s and Ben =Cmd’s donors are too few to compare in 2016');
      expect(html).toContain('<h2>Ages by name, 18 or older</h2>');
    });

    it.each([
      [TWO, ['cumulative-donors', 'age-distribution', 'breakdown-state', 'breakdown-gender', 'donor-size']],
      [`/compare?id=${OF_ANA}&id=${OF_BEN}&cycle=2016`, ['age-distribution']],
    ])('link files with the numbers of each section: %s', async (path, tables) => {
      const links = [...(await page(path)).matchAll(/href="([^"]+format=csv[^"]*)"/g)].map(([, link]) =>
        link.replaceAll('&amp;', '&'),
      );
      const names: string[] = [];
      for (const link of links) {
        const file = await api.send(link);
        expect([link, file.status]).toEqual([link, 200]);
        expect((await file.text()).split('\n').length).toBeGreaterThan(2);
        names.push(/filename=(.*)\.csv/.exec(file.headers.get('content-disposition')!)![1]);
      }
      expect(names.every((name) => name.endsWith('-2016'))).toBe(true);
      for (const table of tables) expect(names.some((name) => name.startsWith(`${table}-`))).toBe(true);
    });

    it('link to the same page without a candidate, or with another one that is found by name', async () => {
      expect(await page(TWO)).toContain(`href="/compare?id=${BEN}&amp;cycle=2016" aria-label="Remove Ana É. Madeup"`);
      expect(await page(`/compare?id=${ANA}&cycle=2016&q=ben`)).toContain(
        `<a href="/compare?id=${ANA}&amp;id=${BEN}&amp;cycle=2016">`,
      );
      expect(textOf(await page(`/compare?id=${ANA}&q=madeap`))).toContain(
        'No match for “madeap”. Did you mean:Ana É. Madeup',
      );
      expect(await page('/compare')).toContain(`href="/compare?id=${ANA}&amp;id=${BEN}&amp;cycle=2016"`);
    });

    it('reject more than four ids, invalid ids, and candidates mixed with committees', async () => {
      const five = Array.from({ length: 5 }, (_, at) => `id=P0000000${at}`).join('&');
      for (const query of [five, 'id=x', `id=${ANA}&id=${OF_ANA}`, `id=${ANA}&cycle=2015`])
        expect((await api.send(`/compare?${query}`)).status).toBe(400);
      expect(await headlineOf('/compare?id=P99999999')).toBe('No donors of this selection are loaded');
      expect(await page(`/compare?id=${BEN}&cycle=2020`)).toContain(`<a href="/compare?id=${BEN}&amp;cycle=2016">`);
      const unknown = textOf(await page(`/compare?id=P00000000&id=${ANA}&cycle=2016`)); // in the order of the charts
      expect(unknown).toMatch(/Madeup P00000001 Remove\s*P00000000 Remove.*Unknown ID: P00000000\./s);
    });
  });

  describe('of a search', () => {
    const hitsOf = async (path: string): Promise<string[]> =>
      [...(await page(path)).matchAll(/<li>(.*?)<\/li>/gs)].map(([, html]) => textOf(html));

    it('list candidates, committees and names, each with a link to its page', async () => {
      expect(await hitsOf('/search?q=mad')).toEqual([
        'Ana É. Madeup, candidate for President, 2016, 2020',
        'Cam Madeup, candidate for House, 2016',
        ...(await hitsOf('/search?q=mad')).slice(2),
      ]);
      const html = await page(`/search?q=${OF_ANA}`);
      expect(html).toContain(`href="/data-charts/v1/age_distribution/committee?committee_id=${OF_ANA}&amp;basis=adult`);
      expect(textOf(html)).toContain('committee of Ana É. Madeup, 2016, 2020');
      const names = await page('/search?q=mary');
      expect(textOf(await page('/search?q=m'))).toMatch(/At least \d+ matches for “m”.*The first 20 of each kind are/s);
      expect(names).toMatch(/href="\/enrich\/v1\/age_gender\/name\/Mary\/date\/[\d-]+\?min_age=18&amp;format=html"/);
      expect(textOf(await page('/search?q=Garcia'))).toContain('Garcia, surname');
    });

    it('suggest the nearest names if no candidate is found, or the import of other cycles', async () => {
      const near = textOf(await page('/search?q=madeap'));
      expect(near).toContain('No match for “madeap”');
      const names = textOf(await page('/search?q=Anna'));
      expect(names).toContain('Anna, first name');
      for (const html of [near, names]) {
        expect(html).toContain('Did you meanAna É. Madeup');
        expect(html).not.toContain('import fec');
      }
      expect(textOf(await page('/search?q=Garcis'))).toContain('Garcia, surname');
      const each = textOf(await page('/search?q=Madeap+Garcis'));
      for (const hit of ['Ana É. Madeup', 'Garcia, surname']) expect(each).toContain(hit);
      for (const text of ['Garcia', 'xxxxxxxx'])
        expect(textOf(await page(`/search?q=${text}`))).toContain('bin/donorlens import fec --cycle YEAR');
      expect(textOf(await page('/search?q=madeup+2016'))).not.toContain('import fec');
    });

    it('omit names for a key that may not look them up', async () => {
      const key = await api.issue({ scopes: ['charts:read'] });
      const html = await (await api.send('/search?q=mary', { headers: { 'x-api-key': key } })).text();
      expect(html).not.toContain('first name');
      expect((await api.send(`/search?q=${'x'.repeat(201)}`)).status).toBe(400);
      expect((await api.send('/search/suggestions?q=x&kind=street')).status).toBe(400);
    });
  });

  describe('for other sites', () => {
    const EMBED = `/embed/cumulative_donors/candidate?candidate_id=${ANA}&candidate_id=${BEN}&cycle=2016`;

    it('need no key, have no navigation, and can be framed', async () => {
      const answer = await fetch(api.url + EMBED);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
      expect(answer.headers.get('content-security-policy')).toMatch(/ frame-ancestors \*$/);
      const html = await answer.text();
      expect(textOf(html)).toContain(' had 3 donors in 2016, Ben =Cmd 1Unique donors until January 4, 2015: Ana É');
      expect(html).toContain('Sample data.');
      expect(html).not.toContain('<nav');
      const ages = await fetch(`${api.url}/embed/age_distribution/committee?committee_id=${OF_ANA}&cycle=2016`);
      expect(textOf(await ages.text())).toMatch(/median age of 44 in 2016Half of the \d+ estimated ages are /);
    });

    it('are limited to 300 a minute for each client network, also behind a proxy', async () => {
      const embed = (client?: string): Promise<Response> =>
        fetch(api.url + EMBED, { headers: client === undefined ? {} : { 'x-forwarded-for': client } });
      const take = jest.spyOn(api.app.get(RateLimiter), 'consume').mockImplementation((network) => {
        const isAllowed = network !== 'embed.9.9.9.9';
        return { isAllowed, limit: 300, remaining: 0, resetSeconds: 7 };
      });
      const refused = await embed('9.9.9.9');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
      expect((await embed('8.8.8.8')).status).toBe(200);
      expect(take.mock.calls).toEqual([
        ['embed.9.9.9.9', 300],
        ['embed.8.8.8.8', 300],
      ]);
      expect((await embed()).status).toBe(200); // private addresses are not limited
      expect(take).toHaveBeenCalledTimes(2);
      take.mockRestore();
    });

    it('include the chart on the start page', async () => {
      const html = await (await fetch(api.url, { headers: { accept: 'text/html' } })).text();
      expect(textOf(html)).toContain('Ana É. Madeup had 1 donor in 2020');
      expect(html).toContain('aria-label="Sign in"');
    });

    it('answer 404 without donors, and reject the queries that charts reject', async () => {
      const statusOf = async (path: string): Promise<number> => (await fetch(api.url + path)).status;
      expect(await statusOf('/embed/cumulative_donors/candidate?candidate_id=P99999999')).toBe(404);
      expect(await statusOf('/embed/cumulative_donors/candidate')).toBe(400);
      expect(await statusOf('/embed/cumulative_donors/candidate?cycle=2015')).toBe(400);
      const framed = await fetch(`${api.url}/embed/cumulative_donors/candidate?candidate_id=P99999999`, {
        headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      });
      expect(framed.headers.get('content-security-policy')).toMatch(/ frame-ancestors \*$/);
      const html = await framed.text();
      expect(textOf(html)).toContain('No donors match this selection.');
      expect(html).not.toMatch(/<nav|<a /);
    });

    it('are offered as HTML on chart pages', async () => {
      const html = await page(EMBED.replace('/embed', '/data-charts/v1') + '&format=html');
      const [, address] = /&lt;iframe src=&quot;([^ ]+)&quot; /.exec(html)!;
      expect(address).toContain(`/embed/cumulative_donors/candidate?candidate_id=${ANA}&amp;amp;candidate_id=${BEN}`);
      expect((await fetch(address.replaceAll('&amp;amp;', '&'))).status).toBe(200);
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

    it.each([
      ...[`/candidates/${ANA}?cycle=2016`, `/candidates/${BEN}?cycle=2020`, '/candidates/P99999999'],
      ...['/compare', `/compare?id=${ANA}&id=${BEN}&q=cam`, `/compare?id=${OF_ANA}&id=${OF_BEN}&cycle=2016`],
      ...['/search', '/search?q=mad', '/search?q=madeap'],
      `/embed/age_distribution/committee?committee_id=${OF_ANA}&cycle=2016`,
    ])('pass the checks of every page: %s', async (path) => {
      const tab = await open(path);
      for (const summary of await tab.$$('summary')) await summary.click();
      await checkPage(tab);
      expect(await weightOf(tab)).toBeLessThan(MAX_BYTES);
      await tab.close();
    });

    it('are linked from the start page, which shows the largest candidate of the newest cycle', async () => {
      const tab = await openPage(browser);
      await signIn(tab, api.url, api.key);
      expect(await tab.textContent('h1')).toBe('Ana É. Madeup had 1 donor in 2020');
      await checkPage(tab);
      expect(await weightOf(tab)).toBeLessThan(MAX_BYTES);
      await tab.click('text=All charts of this candidate');
      await tab.waitForURL(`${api.url}/candidates/${ANA}?cycle=2020`);
      await tab.context().close();
    });

    const optionsOf = (tab: Page) => tab.locator('[role=option]').allInnerTexts();
    const activeOf = (tab: Page) => tab.locator('[role=option][aria-selected=true]').allInnerTexts();

    it('suggest names while typing, and open one by keyboard', async () => {
      const tab = await open('/search');
      await tabTo(tab, 'input[type=search]');
      await tab.keyboard.type('madeup');
      await tab.getByRole('option').first().waitFor();
      expect(await optionsOf(tab)).toEqual([
        'Ana É. Madeup candidate for President, 2016, 2020',
        'Cam Madeup candidate for House, 2016',
      ]);
      const field = tab.getByRole('combobox');
      expect(await field.getAttribute('aria-expanded')).toBe('true');
      expect(await tab.locator('form [role=status]').textContent()).toBe('2 suggestions');
      await checkPage(tab);
      await tab.keyboard.press('ArrowUp');
      expect(await activeOf(tab)).toEqual([expect.stringMatching(/^Cam/)]);
      await tab.keyboard.press('ArrowDown');
      expect(await activeOf(tab)).toEqual([expect.stringMatching(/^Ana/)]);
      await tab.keyboard.press('Escape');
      expect([await optionsOf(tab), await field.inputValue()]).toEqual([[], 'madeup']);
      await tab.keyboard.type(' a');
      await tab.getByRole('option').first().waitFor();
      await tab.keyboard.press('ArrowDown');
      await tab.keyboard.press('Enter');
      await tab.waitForURL(`${api.url}/candidates/${ANA}`);
      await tab.close();
    });

    it('compare candidates that are chosen by keyboard, and remove one', async () => {
      const tab = await open(`/compare?id=${ANA}&cycle=2016`);
      await tabTo(tab, 'input[type=search]');
      await tab.keyboard.type('ben');
      await tab.getByRole('option').first().waitFor();
      await tab.keyboard.press('ArrowDown');
      await tab.keyboard.press('Enter');
      await tab.waitForURL(`${api.url}/compare?id=${ANA}&cycle=2016&id=${BEN}`);
      expect(await tab.textContent('h1')).toBe('Ana É. Madeup had 3 donors in 2016, Ben =Cmd 1');
      await tabTo(tab, '#chart-position');
      await tab.keyboard.press('Home');
      expect((await tab.locator('.explore .value').allInnerTexts()).slice(0, 2)).toEqual(['1 donor', '0 donors']);
      const [file] = await Promise.all([tab.waitForEvent('download'), tab.click('.files button')]);
      expect(file.suggestedFilename()).toBe('cumulative-donors-madeup-cmd-2016.png');
      await tab.goto(`${api.url}/compare?id=${ANA}&id=${BEN}&cycle=2016`);
      await tabTo(tab, `[aria-label="Remove Ana É. Madeup"]`);
      await tab.keyboard.press('Enter');
      await tab.waitForURL(`${api.url}/compare?id=${BEN}&cycle=2016`);
      await tab.close();
    });

    it('have a slider for each chart, and store all positions in the URL', async () => {
      const tab = await open(`/candidates/${ANA}?cycle=2016`);
      await tabTo(tab, '#chart-position');
      await tab.keyboard.press('Home');
      await tabTo(tab, '#chart-position2');
      await tab.keyboard.press('Home');
      expect(new URL(tab.url()).hash).toBe('#at=0&at2=4');
      const shown = () => tab.locator('.explore strong, .explore .value').allInnerTexts();
      const texts = await shown();
      expect(texts.slice(0, 3)).toEqual(['January 1, 2015', '1 donor', '20 to 24']);
      await checkPage(tab);
      await tab.reload();
      expect(await shown()).toEqual(texts);
      await tab.close();
    });

    it('show the values of a chart in a frame on another site', async () => {
      const tab = await open(`/data-charts/v1/cumulative_donors/candidate?candidate_id=${ANA}&cycle=2016&format=html`);
      const snippet = await tab.locator('details code', { hasText: '<iframe' }).textContent();
      const site = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(snippet);
      });
      await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
      await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const chart = tab.frameLocator('iframe');
      await chart.locator('#chart-position').press('Home');
      expect(await chart.locator('.explore strong').textContent()).toBe('January 1, 2015');
      const heightOf = () => chart.locator('body').evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
      for (const width of [1200, 620, 360]) {
        await tab.setViewportSize({ width, height: 900 });
        await until('frame has the height of its chart', async () => {
          return Number(await tab.getAttribute('iframe', 'height')) === (await heightOf());
        });
        const drawn = await chart.locator('figure svg.chart:visible').boundingBox();
        expect(drawn!.width).toBeGreaterThan(0.9 * width);
        expect(await chart.locator('figure .wide').first().isVisible()).toBe(width >= 620);
      }
      await tab.close();
      site.close();
    });

    it('search by a plain form, without scripts', async () => {
      const tab = await open('/search', { javaScriptEnabled: false });
      await tab.fill('input[type=search]', 'madeup');
      await tab.press('input[type=search]', 'Enter');
      await tab.waitForURL(`${api.url}/search?q=madeup`);
      await tab.click('main a >> text=Ana');
      await tab.waitForURL(`${api.url}/candidates/${ANA}`);
      await tab.close();
    });
  });
});
