import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { type Browser, type Page } from 'playwright-core';
import { openBrowser, openPage, violationsOf, weightOf } from '../../../../../test/support/browser/browser';
import { storeCampaign } from '../../../../../test/support/fec-data/campaign';
import { type RunningApi, runningApi } from '../../../../../test/support/service/running-api';
import { describeWith } from '../../../../../test/support/tools';

describeWith('chromium')('the API reference', () => {
  let api: RunningApi;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const asked = new Set<string>();
  beforeAll(async () => {
    [api, browser] = await Promise.all([runningApi(), openBrowser()]);
    await storeCampaign(api.app.get<Pool>(PG_POOL));
    await api.app.get(ChartVersionWatch).refreshNow();
    page = await openPage(browser, { viewport: { width: 1440, height: 1000 }, reducedMotion: 'reduce' });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto(`${api.url}/docs`);
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const block = (tag: string, id: string): string => `[id="operations-${tag}-${id}"]`;

  /** Enters a key for one authentication scheme in the dialog, and removes keys that were entered before. */
  async function authorize(scheme: string, key: string): Promise<void> {
    await page.click('.auth-wrapper .btn.authorize');
    for (const logout of await page.locator('.modal-ux button', { hasText: 'Logout' }).all()) await logout.click();
    const form = page.locator('.modal-ux .auth-container', { hasText: `${scheme} (` });
    await form.locator('input').fill(key);
    await form.locator('button', { hasText: 'Authorize' }).click();
    await page.click('.modal-ux .close-modal');
  }

  /** Opens an operation, sends its example unchanged, and returns the status and the URL. */
  async function execute(tag: string, id: string): Promise<{ status: string; url: string }> {
    const operation = page.locator(block(tag, id));
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.execute').click();
    const status = await operation.locator('.live-responses-table .response .response-col_status').first().innerText();
    const url = await operation.locator('.request-url').innerText();
    return { status: status.trim(), url };
  }

  it('lists every endpoint of the document without Swagger UI', async () => {
    const { paths } = (await (await fetch(`${api.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect((await page.locator('.endpoints a').allInnerTexts()).map((text) => text.replace('\n', ' ')).sort()).toEqual(
      documented.sort(),
    );
    expect(await page.locator('h2').allInnerTexts()).toEqual([
      'Lookups',
      'Batches',
      'Data and charts',
      'Operations',
      'Service',
    ]);
    expect(await weightOf(page)).toBeLessThan(30_000);
  });

  it('follows a link to an endpoint by keyboard, and reports that its forms cannot be loaded', async () => {
    const other = await browser.newPage();
    await other.route('**/swagger-ui-bundle.*', (route) => route.abort(), { times: 1 });
    await other.goto(`${api.url}/docs`);
    const link = other.getByRole('link', { name: 'GET /data-charts/v1/candidate/search' });
    await link.press('Enter');
    await other.getByText('The forms could not be loaded').waitFor();
    expect(await other.locator('footer').isVisible()).toBe(true); // the styles of Swagger UI do not apply
    await other.reload();
    await other.waitForSelector(`${block('Data_and_charts', 'get_data_charts_v1_candidate_search')}.is-open`);
    const focused = other.locator('.opblock:has(.opblock-summary-control:focus)');
    expect(await focused.getAttribute('id')).toBe('operations-Data_and_charts-get_data_charts_v1_candidate_search');
    await other.goBack();
    await other.waitForSelector('.endpoints');
    await other.close();
  });

  it('shows the groups of endpoints in order after a link is followed', async () => {
    await page.click('.endpoints a:has-text("POST /enrich/v1/age_gender")');
    await page.waitForSelector('.opblock.is-open');
    expect((await page.locator('.opblock-tag').allInnerTexts()).map((text) => text.split('\n')[0]).slice(0, 3)).toEqual(
      ['Lookups', 'Batches', 'Data and charts'],
    );
  });

  it('has the title and header of a page, and shows a batch with plausible counts', async () => {
    expect(await page.title()).toBe('API · donorlens');
    expect(await page.locator('header nav a').allTextContents()).toContain('Guide');
    const cancel = page.locator(block('Batches', 'post_enrich_v1_batches_id_cancel'));
    await cancel.locator('.opblock-summary-control').click();
    expect(await cancel.locator('[data-code="202"] .example').innerText()).toContain('"not_found": 170');
  });

  it('runs examples of lookups and charts with a key', async () => {
    await authorize('apiKey', api.key);
    expect(await execute('Lookups', 'get_enrich_v1_ethnicity_surname_surname_year_year')).toEqual({
      status: '200',
      url: expect.not.stringContaining('apiKey='), // the command shows the key as a header
    });
    expect(await execute('Lookups', 'get_enrich_v1_age_gender_name_name_date_date')).toEqual({
      status: '200',
      url: expect.stringContaining('format=json'), // Swagger UI would show the source of a page
    });
    await authorize('token', api.key);
    expect(await execute('Data_and_charts', 'get_data_charts_v1_candidate_search')).toEqual({
      status: '200',
      url: expect.not.stringContaining('token='),
    });
    const operation = page.locator(block('Data_and_charts', 'get_data_charts_v1_candidate_search'));
    expect(await operation.locator('.curl').innerText()).toContain(`X-API-Key: ${api.key}`);
  });

  it('replaces the example id by the id of the batch that was created last', async () => {
    await authorize('bearer', api.key);
    expect(await execute('Batches', 'post_enrich_v1_batches')).toMatchObject({ status: '202' });
    expect(await execute('Batches', 'get_enrich_v1_batches_id')).toMatchObject({ status: '200' });
  });

  it('needs no key after the sign-in, and shows one example error per operation', async () => {
    const signed = await browser.newPage();
    await signed.goto(api.url);
    await signed.fill('input[name=key]', api.key);
    await Promise.all([signed.waitForURL(`${api.url}/`), signed.press('input[name=key]', 'Enter')]);
    await signed.goto(`${api.url}/docs#operations-Lookups-post_enrich_v1_age_gender`);
    const operation = signed.locator(block('Lookups', 'post_enrich_v1_age_gender'));
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table .response .response-col_status').first();
    expect((await status.innerText()).trim()).toBe('200');
    const command = await operation.locator('.curl').innerText();
    expect(command).not.toMatch(/csrf/i);
    expect(command).toContain('X-API-Key: YOUR_KEY');
    expect(await operation.locator('.response[data-code^="4"] .example').count()).toBe(1);
    await signed.click('.auth-wrapper .btn.authorize');
    const first = signed.locator('.modal-ux .auth-container', { has: signed.locator('input:focus') });
    expect(await first.innerText()).toContain('Preferred');
    await signed.close();
  });

  it.each(['light', 'dark'] as const)('is accessible: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.waitForSelector(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)');
    const part = { within: '.opblock-tag-section', rules: ['color-contrast'] };
    expect(await violationsOf(page, colorScheme === 'light' ? {} : part)).toEqual([]);
  });

  it('calls only this service, and complies with a policy without inline scripts and styles', () => {
    expect([...asked]).toEqual([api.url]);
    expect(complaints).toEqual([]);
  });

  it('loads compressed files that browsers cache permanently', async () => {
    const answer = await fetch(`${api.url}/docs`);
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    const parts = (await answer.text()).match(/\/docs\/[\w.-]+/g) ?? [];
    expect(parts.length).toBe(3);
    for (const part of parts) {
      const { headers } = await fetch(api.url + part);
      expect([part, headers.get('cache-control'), headers.get('content-encoding')]).toEqual([
        part,
        'public, max-age=31536000, immutable',
        'gzip',
      ]);
    }
    expect((await fetch(`${api.url}/docs/swagger-ui-bundle.js`)).status).toBe(404);
  });
});
