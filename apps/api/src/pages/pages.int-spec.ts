import { chromium, type Browser } from 'playwright-core';
import { describeWith } from '../../../../test/support/tools';
import { type RunningApi, runningApi } from '../../../../test/support/running-api';

/** Debian's package. */
const CHROMIUM = '/usr/bin/chromium';

describeWith('chromium')('pages in a browser', () => {
  let api: RunningApi;
  let browser: Browser;
  beforeAll(async () => {
    api = await runningApi();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const age = (name: string): string =>
    `/enrich/v1/age_gender/name/${encodeURIComponent(name)}/date/2017-07-01?apiKey=${api.key}`;

  it.each([
    [1200, 'light'],
    [390, 'light'],
    [1200, 'dark'],
    [390, 'dark'],
  ] as const)(
    'fit a screen %i wide, %s, without a complaint or a request elsewhere',
    async (width, colorScheme) => {
      for (const path of ['/', age('Mary'), age('x'.repeat(200)), '/enrich/v1/age_gender/name/Mary/date/never']) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        const complaints: string[] = [];
        const elsewhere: string[] = [];
        page.on('console', (message) => {
          if (!/status of 4\d\d/.test(message.text())) complaints.push(message.text());
        });
        page.on('request', (request) => {
          if (!request.url().startsWith(api.url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
        });
        await page.goto(api.url + path);
        expect([complaints, elsewhere]).toEqual([[], []]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        const [paper, ink] = await page.evaluate<string[]>(
          '[getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.body).color]',
        );
        expect(lightness(paper) > lightness(ink)).toBe(colorScheme === 'light');
        await page.close();
      }
    },
    60_000,
  );

  it('lead from the form to the page of another name', async () => {
    const page = await browser.newPage();
    await page.goto(api.url + age('Mary'));
    await page.fill('input[name=name]', 'James');
    await page.click('button');
    await page.waitForURL(/\/name\/James\/date\/2017-07-01/);
    expect(await page.textContent('h1')).toContain('male');
    await page.close();
  }, 60_000);
});

/** Sum of the channels of `rgb(…)`. */
const lightness = (color: string): number =>
  (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
