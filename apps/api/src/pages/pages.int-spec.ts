import { readFileSync } from 'node:fs';
import { type Browser } from 'playwright-core';
import { launchBrowser } from '../../../../test/support/browser';
import { describeWith } from '../../../../test/support/tools';
import { type RunningApi, runningApi } from '../../../../test/support/running-api';

describeWith('chromium')('pages in a browser', () => {
  let api: RunningApi;
  let browser: Browser;
  beforeAll(async () => {
    api = await runningApi();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** A batch whose addresses have every outcome, or wait. */
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

  it('show how far a batch is, and lead to its results so far', async () => {
    const page = await browser.newPage({ acceptDownloads: true });
    await page.goto(api.url + batch);
    const numbers = await page.$$eval('#addresses dd', (cells) => cells.map((cell) => cell.textContent));
    expect(numbers).toEqual(['1', '1', '1', '1', '1']);
    const bars = await page.$$eval('progress', (bars) => bars.map((bar) => [bar.value, bar.max]));
    expect(bars).toEqual([
      [5, 5],
      [3, 4], // but for the row that needs none
    ]);
    expect(await page.locator('.notice:not([hidden])').allTextContents()).toEqual([
      expect.stringContaining('made up by a model'),
      expect.stringMatching(/^1 row waits for its address/),
    ]);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.files a')]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n');
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

  it('show what there is to whoever has no key yet, and lead on once it is entered, after a wrong one too', async () => {
    const page = await browser.newPage();
    await page.goto(api.url);
    const doors = await page.locator('header nav a').allTextContents();
    expect(doors).toEqual(['Upload', 'Charts', 'Names', 'API', 'Guide', 'Sign in']);
    await page.click('header nav >> text=Upload');
    const enter = async (key: string): Promise<void> => {
      await page.getByLabel('Your key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await enter('dl_wrong');
    await page.waitForURL(`${api.url}/sign-in?wrong=true&next=%2Fupload`);
    expect(await page.getByRole('alert').textContent()).toContain('opens nothing here');
    await page.reload();
    await enter(api.key);
    await page.waitForURL(`${api.url}/upload`);
    expect(await page.locator('header nav a').allTextContents()).toEqual(
      expect.arrayContaining(['Batches', 'Operations', 'Guide']),
    );
    await page.click('footer >> text=How it is estimated');
    await page.waitForURL(`${api.url}/guide/method`);
    expect(await page.locator('header nav >> text=Sign out').count()).toBe(1);
    await page.context().close();
  });

  it('have one head that is as wide on each of them', async () => {
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

  it('lead from the form to the page of another name', async () => {
    const page = await browser.newPage();
    await page.goto(api.url + age('Mary'));
    await page.fill('input[name=name]', 'James');
    await page.click('button');
    await page.waitForURL(/\/name\/James\/date\/2017-07-01/);
    expect(await page.textContent('h1')).toContain('male');
    await page.close();
  });
});
