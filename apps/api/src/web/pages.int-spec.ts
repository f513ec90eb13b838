import { type Browser } from 'playwright-core';
import { checkPage, downloadedText, openBrowser, openPage, tabTo } from '../../../../test/support/browser/browser';
import { describeWith } from '../../../../test/support/tools';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describeWith('chromium')('pages in a browser', () => {
  let api: RunningApi;
  let browser: Browser;
  beforeAll(async () => {
    api = await runningApi();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** Creates a batch with one address for each outcome and one pending address, and returns the path of its page. */
  const batchPage = async (): Promise<string> => {
    const lines = ['1 Match', '2 None', '3 Tie', 'PO Box 4', '5 Waiting'].map(
      (street) => `Mary,Garcia,2016-10-01,${street} St,Samplebury,CT,06100\n`,
    );
    const csv = `first_name,last_name,date,street,city,state,zip\n${lines.join('')}`;
    const answer = await api.post('/enrich/v1/batches', csv, { 'content-type': 'text/csv' });
    const { links } = (await answer.json()) as { links: { self: string } };
    await api.work();
    const address = { city: 'Samplebury', state: 'CT', zip: '06100' };
    await api.locate([
      { address: { street: '1 Match St', ...address }, outcome: 'MATCH', fips: '09001' },
      { address: { street: '2 None St', ...address }, outcome: 'NO_MATCH' },
      { address: { street: '3 Tie St', ...address }, outcome: 'TIE' },
    ]);
    return `${links.self}?format=html&apiKey=${api.key}`;
  };

  let batch: string;
  beforeAll(async () => {
    batch = await batchPage();
  });

  const age = (name: string): string =>
    `/enrich/v1/age_gender/name/${encodeURIComponent(name)}/date/2017-07-01?apiKey=${api.key}`;

  it('show the progress of a batch, and link to its results so far', async () => {
    const page = await browser.newPage({ acceptDownloads: true });
    await page.goto(api.url + batch);
    const numbers = await page.$$eval('#addresses dd', (cells) => cells.map((cell) => cell.textContent));
    expect(numbers).toEqual(['1', '1', '1', '1', '1']);
    const bars = await page.$$eval('progress', (bars) => bars.map((bar) => [bar.value, bar.max]));
    expect(bars).toEqual([
      [5, 5],
      [3, 4], // without the skipped row
    ]);
    expect(await page.locator('.notice:not([hidden])').allTextContents()).toEqual([
      expect.stringContaining('Synthetic sample data'),
      expect.stringMatching(/^1 row waits for its address\./),
    ]);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.files a')]);
    const lines = (await downloadedText(file)).trimEnd().split('\n');
    expect(lines.map((line) => line.split(',').at(-2))).toEqual([
      'GEOCODE_STATUS',
      'MATCH',
      'NO_MATCH',
      'TIE',
      'SKIPPED',
      'PENDING',
    ]);
    await page.close();
  });

  it('show the public navigation without a session, and return to the page after the sign-in', async () => {
    const page = await browser.newPage();
    await page.goto(api.url);
    const doors = await page.locator('header nav a').allTextContents();
    expect(doors).toEqual(['Upload', 'Charts', 'Names', 'API', 'Guide', 'Sign in']);
    await page.click('header nav >> text=Upload');
    const enter = async (key: string): Promise<void> => {
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await enter('dl_wrong');
    await page.waitForURL(`${api.url}/sign-in?wrong=true&next=%2Fupload`);
    expect(await page.getByRole('alert').textContent()).toContain('This API key is not valid.');
    await page.reload();
    await enter(api.key);
    await page.waitForURL(`${api.url}/upload`);
    expect(await page.locator('header nav a').allTextContents()).toEqual(
      expect.arrayContaining(['Batches', 'Operations', 'Guide']),
    );
    await page.goto(api.url);
    expect(await page.locator('main > .notice').first().textContent()).toContain(
      'No contributions are loaded. Once they are, this page begins with a chart.',
    );
    await page.click('footer >> text=Method');
    await page.waitForURL(`${api.url}/guide/method`);
    expect(await page.locator('header nav >> text=Sign out').count()).toBe(1);
    await page.context().close();
  });

  it('have headers of the same width', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const edges = new Set<string>();
    for (const path of ['/', '/guide/api', age('Mary'), batch, '/docs', '/nowhere']) {
      await page.goto(api.url + path);
      const box = await page.locator('header.top').boundingBox();
      edges.add(`${box?.x} ${box?.width}`);
    }
    expect([...edges]).toEqual(['164 1112']);
    await page.close();
  });

  it('open the page of another name from the form', async () => {
    const page = await browser.newPage();
    await page.goto(api.url + age('Mary'));
    await page.fill('input[name=name]', 'James');
    await page.click('button:has-text("Look up")');
    await page.waitForURL(/\/name\/James\/date\/2017-07-01/);
    expect(await page.textContent('h1')).toContain('male');
    await page.close();
  });

  it('save the chart of a surname as PNG', async () => {
    const page = await openPage(browser, { extraHTTPHeaders: { 'x-api-key': api.key } });
    await page.goto(`${api.url}/enrich/v1/ethnicity/surname/Garcia/year/2016?format=html`);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.files button')]);
    expect(file.suggestedFilename()).toBe('ethnicity-garcia-2016.png');
    await checkPage(page);
    await page.close();
  });

  it('show the births of a year by keyboard, and compare names that are chosen by keyboard', async () => {
    const page = await openPage(browser, { extraHTTPHeaders: { 'x-api-key': api.key } });
    await page.goto(`${api.url}/enrich/v1/age_gender/name/Mary/date/2017-07-01?min_age=18`);
    expect(await page.locator('.explore .value').last().innerText()).not.toBe('0 people');
    await tabTo(page, '#chart-position');
    await page.keyboard.press('End');
    const thumbDistance = await page.evaluate<number>(`(() => {
      const slider = document.querySelector('#chart-position').getBoundingClientRect();
      return slider.right - 8 - document.querySelector('.wide .cursor').getBoundingClientRect().x;
    })()`);
    expect(Math.abs(thumbDistance)).toBeLessThan(2);
    expect(await page.locator('.explore strong, .explore .value').allInnerTexts()).toEqual([
      '2016',
      expect.stringMatching(/^[\d,]+ people$/),
      '0 people', // aged 18 or older
    ]);
    await tabTo(page, 'input[name=compare]');
    await page.keyboard.type('jam');
    await page.getByRole('option', { name: 'James' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/name\/Mary\/date\/2017-07-01\?min_age=18&compare=James&format=html$/);
    expect(await page.textContent('h1')).toMatch(/ is older than /);
    await tabTo(page, '#chart-position');
    await page.keyboard.press('Home');
    expect(await page.locator('.explore .value').allInnerTexts()).toHaveLength(2);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.files button')]);
    expect(file.suggestedFilename()).toBe('ages-of-people-mary-james-2017.png');
    await checkPage(page);
    await tabTo(page, '[aria-label="Remove James"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/name\/Mary\/date\/2017-07-01\?format=html&min_age=18$/);
    await page.close();
  });
});
