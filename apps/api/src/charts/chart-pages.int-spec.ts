import { buffer } from 'node:stream/consumers';
import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Browser } from 'playwright-core';
import { type Pool } from 'pg';
import { checkPage, openBrowser, openPage, tabTo, weightOf } from '../../../../test/support/browser/browser';
import {
  ANA,
  BEN,
  CAM,
  OF_ANA,
  OF_BEN,
  OF_CAM,
  storeCampaign,
  storeHouseCandidate,
  storeNextGift,
  storeProvenance,
} from '../../../../test/support/fec-data/campaign';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { describeWith } from '../../../../test/support/tools';

const BASE = '/data-charts/v1';
const LINES = `/cumulative_donors/candidate?candidate_id=${ANA}&candidate_id=${BEN}&cycle=2016`;
const AGES = `/age_distribution/committee?committee_id=${OF_ANA}&committee_id=${OF_BEN}&cycle=2016`;
const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/svg+xml,*/*;q=0.8';

describe('charts of endpoints 6 and 7', () => {
  let api: RunningApi;
  let pool: Pool;
  beforeAll(async () => {
    api = await runningApi();
    pool = api.app.get<Pool>(PG_POOL);
    const early = await api.send(`${BASE}${LINES}&format=html`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await early.text()).toContain('<h1>The charts are not built yet</h1>');
    await storeCampaign(pool);
    await storeProvenance(pool);
    await api.app.get(ChartVersionWatch).refreshNow();
  });
  afterAll(() => api.close());

  const send = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    api.send(BASE + path, { headers });
  const typeOf = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
    (await send(path, headers)).headers.get('content-type')!.split(';')[0];
  const headlineOf = async (path: string): Promise<string> =>
    /<h1.*?<\/h1>/s
      .exec(await (await send(path)).text())![0]
      .replace(/<[^>]+>/g, '')
      .replaceAll('&#39;', "'");

  it.each([LINES, AGES])('are CSV files unless the client requests a page or picture: %s', async (path) => {
    expect(await typeOf(path)).toBe('text/csv');
    expect(await typeOf(path, { accept: '*/*' })).toBe('text/csv');
    expect(await typeOf(path, { accept: NAVIGATION })).toBe('text/csv');
    expect(await typeOf(path, { accept: 'text/html, */*', 'sec-fetch-mode': 'navigate' })).toBe('text/csv');
    expect(await typeOf(path, { accept: 'text/html' })).toBe('text/html');
    expect(await typeOf(path, { accept: 'image/svg+xml' })).toBe('image/svg+xml');
    expect(await typeOf(`${path}&format=html`, { accept: NAVIGATION })).toBe('text/html');
    expect(await typeOf(`${path}&format=svg`, { accept: 'text/csv' })).toBe('image/svg+xml');
    expect((await send('/candidate/search?cycle=2016&format=html')).status).toBe(400);
  });

  it('begin with the finding, and name the sources and limits of their numbers', async () => {
    expect(await headlineOf(`${LINES}&format=html`)).toBe('Ana É. Madeup had 3 donors in 2016, Ben =Cmd 1');
    expect(await headlineOf(`${AGES}&basis=all&format=html`)).toBe(
      'Ana É. Madeup’s and Ben =Cmd’s donors are too few to compare in 2016',
    );
    const page = await (await send(`${AGES}&basis=all&format=html`)).text();
    for (const words of [
      'Comparisons need at least 100 estimated ages of each committee.',
      'Sample data.',
      'charts-1',
      '1 without an age',
      'bulk-data',
      'format=json',
      '#sources',
    ])
      expect(page).toContain(words);
  });

  it('repeat a key of the URL in every link and in the form, but never a key of a header', async () => {
    const page = await (await fetch(`${api.url}${BASE}${LINES}&format=html&token=${api.key}`)).text();
    const [, main] = page.split('<main'); // links in the page header lead to the sign-in form instead
    const links = [...main.matchAll(/href="(\/data-charts[^"]+)"/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(4);
    expect(links.filter((link) => !link.includes(`token=${api.key}`))).toEqual([]);
    expect(page).toContain(`name="token" value="${api.key}"`);
    expect(await (await send(`${LINES}&format=html`)).text()).not.toContain(api.key);
  });

  it('cannot be embedded in other sites unless an operator permits it', async () => {
    expect((await fetch(`${api.url}/embed${LINES}`)).status).toBe(404);
    expect(await (await send(`${LINES}&format=html`)).text()).not.toContain('iframe');
  });

  it('suggest a selection if nothing matches or nothing is selected', async () => {
    const nothing = `/cumulative_donors/candidate?candidate_id=P99999999&cycle=1980&format=html`;
    expect(await headlineOf(nothing)).toBe('No donors match this selection');
    expect(await (await send(nothing)).text()).toContain(
      'No contributions of 1980 are loaded. Loaded cycles: 2016, 2020.',
    );
    const future = await (await send(nothing.replace('1980', '9998'))).text();
    expect(future).toContain('No contributions of 9998 are loaded. Loaded cycles: 2016, 2020.');
    expect([(await (await send(nothing)).text()).includes('To load'), future.includes('To load')]).toEqual([
      true,
      false,
    ]);
    expect(await headlineOf('/age_distribution/committee?format=html')).toBe('Choose a committee or a cycle');
    expect(await headlineOf(`/age_distribution/committee?format=html&committee_id=&cycle=2020&basis=all`)).toContain(
      'Ana É. Madeup',
    );
    const picture = await send(nothing.replace('html', 'svg'));
    expect(await picture.text()).toContain('No donors match this selection');
    expect((await send('/age_distribution/committee?format=svg')).status).toBe(400);
  });

  it('use the ages of adults by default, in links and if the URL has no basis', async () => {
    const page = async (path: string): Promise<string> => (await send(path)).text();
    const [, charts] = /<section id="charts">(.*?)<\/section>/s.exec(await page('/about')) ?? [];
    const links = [...charts.matchAll(/age_distribution\/committee\?[^"]*format=html/g)].map(String);
    expect(links.length).toBeGreaterThan(2);
    for (const link of [...links, ...((await page(`${LINES}&format=html`)).match(/age_distribution[^"]+/g) ?? [])])
      expect(link).toContain('basis=adult');
    expect(await page(`${AGES}&format=html`)).toMatch(/basis=adult&amp;format=csv.*<option value="adult" selected>/s);
  });

  it('find committees by candidate name, accept ids in the same field, and say if nothing is found', async () => {
    const found = async (path: string): Promise<string> =>
      /id="found".*?<\/(?:fieldset|p)>/s.exec(await (await send(path)).text())?.[0].replace(/<[^>]+>/g, '') ?? '';
    const ages = '/age_distribution/committee?format=html';
    expect(await found(`${ages}&name_part=ana`)).toContain(`Friends, ${OF_ANA} ${OF_ANA} (2016, 2020)`);
    expect(await found(`${ages}&name_part=unknown`)).toContain('No candidate for President with “unknown” in the name');
    expect(await headlineOf(`${ages}&cycle=2016&name_part=${OF_BEN.toLowerCase()}`)).toContain('Ben =Cmd');
    expect(await found(`${ages}&committee_id=${OF_BEN}&name_part=ben`)).toContain('are checked above');
    expect((await send(`/age_distribution/committee?cycle=2016&name_part=ana`)).status).toBe(400);
  });

  it('have an ETag that changes with the charts, and answer 304 to clients that have it', async () => {
    for (const format of ['html', 'svg']) {
      const path = `${LINES}&format=${format}`;
      const etag = (await send(path)).headers.get('etag')!;
      const again = await send(path, { 'if-none-match': etag });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const before = (await send(`${LINES}&format=svg`)).headers;
    expect(before.get('cache-control')).toBe('private, max-age=3600');
    const since = { 'if-modified-since': before.get('last-modified')! };
    expect((await send(`${LINES}&format=svg`, since)).status).toBe(304);
    expect((await send(`${LINES}&format=html`)).headers.get('cache-control')).toBe('private, no-cache');
    await storeNextGift(pool);
    await api.app.get(ChartVersionWatch).refreshNow();
    const after = await send(`${LINES}&format=svg`, { 'if-none-match': before.get('etag')! });
    expect([after.status, after.headers.get('data-version')]).toEqual([200, 'charts-2']);
  });

  it('name the seat of candidates for House and Senate, and find these candidates', async () => {
    await storeHouseCandidate(pool);
    await api.app.get(ChartVersionWatch).refreshNow();
    const page = async (path: string): Promise<string> => (await (await send(path)).text()).replace(/<!-- -->/g, '');
    const lines = '/cumulative_donors/candidate?format=html';
    expect(await page(`${lines}&candidate_id=${CAM}`)).toContain('Donors over time · House, ZZ-06</p>');
    expect(await page(`${lines}&candidate_id=${CAM}`)).toContain(
      `<input type="checkbox" name="office" value="H" checked/>`,
    );
    expect(await page(`${lines}&candidate_id=${ANA}&candidate_id=${CAM}&cycle=2016`)).toContain(
      'Donors over time · President, House</p>',
    );
    expect(await page(`/age_distribution/committee?format=html&committee_id=${OF_CAM}&office=H`)).toContain(
      'Ages of donors · House, ZZ-06</p>',
    );
    expect(await page(`${lines}&name_part=cam`)).toContain('No candidate for President with “cam” in the name');
    expect(await page(`${lines}&name_part=cam&office=H`)).toContain(`<code>${CAM}</code> (2016)`);
    expect(await page('/about')).toContain('office=H&amp;cycle=2016&amp;format=html">Candidates for the House</a>');
    expect((await send(`/cumulative_donors/candidate?candidate_id=${CAM}`)).status).toBe(400);
  });

  describeWith('chromium')('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    it.each([LINES, AGES, '/cumulative_donors/candidate?cycle=1980'])(
      'pass the checks of every page, with open data tables: %s',
      async (path) => {
        const page = await openPage(browser);
        await page.goto(`${api.url}${BASE}${path}&format=html&token=${api.key}`);
        for (const summary of await page.$$('summary')) await summary.click();
        await checkPage(page);
        expect(await weightOf(page)).toBeLessThan(40_000);
        await page.close();
      },
    );

    it('show the values of a day by keyboard and pointer, hide lines, and restore this from the URL', async () => {
      const page = await openPage(browser);
      await page.goto(`${api.url}${BASE}${LINES}&format=html&token=${api.key}`);
      const values = () => page.locator('.explore strong, .explore .value').allInnerTexts();
      const visible = () =>
        page.locator('.wide .series').evaluateAll((lines) => lines.map((one) => getComputedStyle(one).visibility));
      const [, anaAtEnd, benAtEnd] = await values();
      await tabTo(page, '#chart-position');
      await page.keyboard.press('Home');
      expect(await values()).toEqual(['January 1, 2015', '1 donor', '0 donors']);
      await page.keyboard.press('End');
      expect((await values()).slice(1)).toEqual([anaAtEnd, benAtEnd]);
      expect(await page.getAttribute('#chart-position', 'aria-valuetext')).toMatch(
        /^January 4, 2015; Madeup \d donors; =Cmd 1 donor$/,
      );
      const dashes = (of: string): Promise<string> =>
        page
          .locator(of)
          .first()
          .evaluate((line) => getComputedStyle(line).strokeDasharray);
      expect(await dashes('.explore .series-1 line')).toBe(await dashes('.chart .series.series-1'));
      expect(await dashes('.explore .series-0 line')).not.toBe(await dashes('.explore .series-1 line'));
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      expect([await values(), await visible()]).toEqual([
        [expect.any(String), '', benAtEnd],
        ['visible', 'hidden'],
      ]);
      const address = page.url();
      expect(address).toMatch(new RegExp(`#at=\\d+&hide=${ANA}-2016$`));
      const again = await openPage(browser);
      await again.goto(address);
      expect(await again.locator('.toggle[aria-pressed=false]').allInnerTexts()).toEqual(['Madeup']);
      await again.close();
      const box = (await page.locator('.wide svg').boundingBox())!;
      await page.mouse.move(box.x + (45 / 760) * box.width, box.y + box.height / 2);
      expect((await values())[0]).toBe('January 2, 2015');
      const [file] = await Promise.all([page.waitForEvent('download'), page.click('.files button')]);
      const bytes = await buffer(await file.createReadStream());
      expect([file.suggestedFilename(), bytes.toString('latin1', 1, 4), bytes.readUInt32BE(16)]).toEqual([
        'cumulative-donors-madeup-cmd-2016.png',
        'PNG',
        1520,
      ]);
      await checkPage(page);
      await page.close();
    });

    it('show the last number of a line whose data end before the day', async () => {
      const page = await openPage(browser);
      await page.goto(`${api.url}${BASE}${LINES}&cycle=2020&format=html&token=${api.key}`);
      await tabTo(page, '#chart-position');
      await page.keyboard.press('End');
      expect(await page.locator('.explore strong, .explore .value').allInnerTexts()).toEqual([
        'February 1, first year',
        expect.stringMatching(/^\d donors by January 4, first year$/),
        '1 donor by January 4, first year',
        '1 donor',
      ]);
      await page.close();
    });

    it('show the donors of an age group for each committee', async () => {
      const page = await openPage(browser);
      await page.goto(`${api.url}${BASE}${AGES}&basis=all&format=html&token=${api.key}#at=8`);
      expect(await page.locator('.explore strong, .explore .value').allInnerTexts()).toEqual([
        '40 to 44',
        '3 donors (100.0%)',
        '0 donors (0.0%)',
      ]);
      await page.close();
    });

    it('change the selection by the form, without scripts', async () => {
      const page = await openPage(browser, { javaScriptEnabled: false });
      await page.goto(`${api.url}${BASE}${LINES}&format=html&token=${api.key}`);
      await page.uncheck(`input[value=${BEN}]`);
      await page.check('input[value="2020"]');
      await page.click('form button:has-text("Update chart")');
      expect(await page.textContent('h1')).toMatch(/^Ana É\. Madeup \(2016\) had 4 donors, Ana É\. Madeup \(2020\) 1$/);
      await page.close();
    });

    it('find other candidates by name, without scripts', async () => {
      const page = await openPage(browser, { javaScriptEnabled: false });
      await page.goto(`${api.url}${BASE}${LINES.replace(`candidate_id=${ANA}&`, '')}&format=html&token=${api.key}`);
      await page.fill('input[name=name_part]', 'made');
      await page.press('input[name=name_part]', 'Enter');
      expect(await page.locator('#found label').allInnerTexts()).toEqual([`Ana É. Madeup ${ANA} (2016, 2020)`]);
      await page.check(`#found input[value=${ANA}]`);
      await page.click('form button:has-text("Update chart")');
      expect(await page.textContent('h1')).toMatch(/^Ana É\. Madeup had \d donors in 2016, Ben =Cmd 1$/);
      await page.close();
    });

    it('show expected numbers of donors below 1', async () => {
      const page = await openPage(browser);
      await page.route('**/age_distribution/**', async (route) => {
        const response = await route.fetch();
        const values = `"values":[${Array(20).fill(0.2).join()}]`;
        await route.fulfill({ response, body: (await response.text()).replace(/"values":\[[^\]]*\]/, values) });
      });
      await page.goto(`${api.url}${BASE}${AGES}&format=html&token=${api.key}`);
      expect(await page.locator('.explore .value').first().innerText()).toMatch(/^under 1 donor \(/);
      await page.close();
    });

    it('are SVG files with their own styles', async () => {
      for (const path of [LINES, AGES]) {
        const page = await openPage(browser);
        await page.goto(`${api.url}${BASE}${path}&format=svg&token=${api.key}`);
        const [paper, name] = await page.evaluate<string[]>(
          `[getComputedStyle(document.querySelector('.paper')).fill, getComputedStyle(document.querySelector('.name')).fontWeight]`,
        );
        expect([paper, name]).toEqual(['rgb(253, 252, 250)', '600']);
        await page.close();
      }
    });
  });
});
