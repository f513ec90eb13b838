import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { gzipSync } from 'node:zlib';
import { downloadedText, openBrowser, tabTo, violationsOf } from '../../../../../test/support/browser/browser';
import { workbookOf } from '../../../../../test/support/reference-data/table-files';
import { describeWith } from '../../../../../test/support/tools';
import { until } from '../../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../../test/support/service/running-api';

const MAX_BYTES = 30_000;

describeWith('chromium')('a file on the upload page', () => {
  let api: RunningApi;
  let browser: Browser;
  const complaints: string[] = [];
  beforeAll(async () => {
    api = await runningApi();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  /** The file that the file dialog of the browser returns. */
  let chosen = { name: '', mimeType: 'text/csv', buffer: Buffer.alloc(0) };
  let signedIn: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

  /** A page of a browser with a session. */
  async function signedInPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<[BrowserContext, Page]> {
    const context = await browser.newContext({ ...options, storageState: signedIn });
    const page = await context.newPage();
    page.on('filechooser', (chooser) => void chooser.setFiles(chosen));
    await page.goto(`${api.url}/upload`);
    if (signedIn === undefined) {
      await tabTo(page, 'input[name=key]');
      await page.keyboard.type(api.key);
      await page.keyboard.press('Enter');
    }
    await page.waitForSelector('#upload');
    signedIn ??= await context.storageState();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    return [context, page];
  }

  async function choose(page: Page, name: string, text: string | Buffer): Promise<void> {
    await tabTo(page, '#file');
    chosen = { ...chosen, name, buffer: Buffer.from(text as string) };
    await page.keyboard.press('Enter');
  }

  const header = 'Given,Family,date,street,city,state,zip\n';
  const rows = (n: number): string =>
    Array.from({ length: n }, (_, at) => `Mary,Garcia,2016-10-31,${at % 2} Made Up St,Samplebury,CT,06100\n`).join('');

  it('is chosen, previewed, mapped, processed, downloaded and repeated by keyboard', async () => {
    const [context, page] = await signedInPage({ acceptDownloads: true });
    await choose(page, 'donors.csv', header + rows(4) + 'Mary,Garcia,never,1 Made Up St,Samplebury,CT,06100\n');
    await page.waitForSelector('.preview .warnings');
    expect(await page.textContent('.warnings')).toContain('Choose the');
    expect(await violationsOf(page)).toEqual([]);

    await tabTo(page, 'select[name="map.first_name"]');
    await page.keyboard.type('Given');
    await tabTo(page, 'select[name="map.surname"]');
    await page.keyboard.type('Family');
    await page.waitForSelector('.rows >> text=Mary Garcia');
    expect(await page.evaluate('document.activeElement.name')).toBe('map.surname');
    await until('the preview is announced', async () =>
      (await page.textContent('#status'))?.startsWith('Preview of donors.csv'),
    );
    expect(await page.textContent('[data-part]')).not.toContain('Unused columns');
    expect(await page.textContent('.rows')).toMatch(/62female.*(later){2}/);

    // a file with the same header gets the same mapping
    await choose(page, 'more.csv', header + rows(3));
    await until('the preview is announced', async () =>
      (await page.textContent('#status'))?.startsWith('Preview of more.csv'),
    );
    await page.waitForSelector('.rows >> text=Mary Garcia');
    expect(await page.textContent('.rows thead')).toContain('NameGiven, Family');
    await choose(page, 'donors.csv', header + rows(4) + 'Mary,Garcia,never,1 Made Up St,Samplebury,CT,06100\n');
    await until('the preview is announced', async () =>
      (await page.textContent('#status'))?.startsWith('Preview of donors.csv'),
    );

    await tabTo(page, '#look');
    await page.keyboard.press('Enter');
    await until('the preview has the focus', () =>
      page.evaluate<boolean>(`document.activeElement.id === 'preview-title'`),
    );
    expect(await page.inputValue('select[name="map.surname"]')).toBe('Family'); // the choice is kept
    expect(await page.textContent('.rows')).toContain('Mary Garcia');

    await tabTo(page, '#start');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/enrich\/v1\/batches\/.*format=html/);
    expect(await page.textContent('h1')).toContain('0 of 5 rows, queued');
    expect(await page.isVisible('.files')).toBe(false); // no row is processed
    await page.evaluate(`document.querySelector('main').dataset.kept = 'yes'`);
    await api.work();
    await page.waitForSelector('[data-stage=enriched] .share >> text=100%');
    expect(await page.getAttribute('main', 'data-kept')).toBe('yes'); // updated in place
    expect(await page.isVisible('.files')).toBe(true);
    expect(await page.textContent('#waiting')).toContain('4 rows wait for their addresses');
    expect(await page.title()).toMatch(/^donors\.csv: 5 rows, running; 4 .* · donorlens$/);
    await page.waitForSelector('.errors >> text=Row 5'); // while the batch runs
    expect(await violationsOf(page)).toEqual([]);

    const place = { city: 'Samplebury', state: 'CT', zip: '06100' };
    await api.locate([
      { address: { street: '0 Made Up St', ...place }, outcome: 'MATCH', fips: '09001' },
      { address: { street: '1 Made Up St', ...place }, outcome: 'NO_MATCH' },
    ]);
    await page.waitForSelector('h1 >> text=5 rows, completed');
    await until('the end is announced', async () => (await page.textContent('#said')) === 'Batch completed.');
    expect(await page.textContent('.explore')).toContain('Age group'); // without a reload
    expect(await page.textContent('.errors')).toMatch(/Row 5.*Invalid date/);
    expect(await violationsOf(page)).toEqual([]);

    await tabTo(page, '.files a');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const lines = (await downloadedText(file)).trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toMatch(/^Mary,Garcia,2016-10-31,0 Made Up St,.*,62,f,hispanic,.*Fairfield County/);

    const completed = page.url();
    await tabTo(page, 'a[href$="/repeat"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1 >> text=Repeat with other options');
    expect(await violationsOf(page)).toEqual([]);
    await tabTo(page, 'input[name=type]:checked');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, '.upload button');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/enrich\/v1\/batches\/.*format=html/);
    expect(page.url()).not.toBe(completed);
    expect(await page.textContent('h1')).toBe('0 of 5 rows, queued');
    expect(await page.textContent('.eyebrow')).toBe('Batch donors.csv: Age and gender, minimum age 18');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is previewed from the complete lines of its beginning', async () => {
    const [context, page] = await signedInPage();
    const sent = page.waitForRequest(/\/upload\/preview/);
    await choose(page, 'donors.csv', 'first_name,date\n' + 'Mary,2016-10-31\n'.repeat(100_000));
    const length = Number((await (await sent).allHeaders())['content-length']);
    expect(length).toBeGreaterThan(200_000);
    expect(length).toBeLessThan(270_000);
    await page.waitForSelector('.rows');
    expect(await page.evaluate(`document.querySelector('.rows tbody').rows.length`)).toBe(5);
    await context.close();
  });

  it('shows an error if it cannot be read, and keeps the values of the form', async () => {
    const [context, page] = await signedInPage();
    await page.fill('input[name=min_age]', '21');
    await choose(page, 'donors.xlsx', 'PK\u0003\u0004');
    await page.waitForSelector('#fault');
    expect(await page.textContent('#fault')).toContain('save it again, or as CSV');
    expect(await page.evaluate('document.activeElement.id')).toBe('fault');
    expect(await page.inputValue('input[name=min_age]')).toBe('21');
    expect(await violationsOf(page)).toEqual([]);
    await page.evaluate(`document.querySelector('input[name=min_age]').form.noValidate = true`);
    await page.fill('input[name=min_age]', '300');
    await page.keyboard.press('Tab');
    await page.waitForSelector('#fault >> text=Minimum age must be a whole number from 0 to 100.');
    await context.close();
  });

  it('can be a workbook with a selectable sheet, or UTF-16 text', async () => {
    const [context, page] = await signedInPage();
    const cells = (...texts: string[]): string =>
      `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
    const donors = (name: string): string => cells('name', 'date') + cells(name, '2016-10-31');
    const workbook = await workbookOf({ First: donors('GARCIA, MARY'), Second: donors('GARCIA, ANNA') });
    await page.fill('input[name=sheet]', '2');
    await choose(page, 'donors.xlsx', workbook);
    await page.waitForSelector('.rows >> text=GARCIA, ANNA');
    await choose(page, 'donors.xlsx', workbook);
    await page.waitForSelector('.rows >> text=GARCIA, MARY');
    expect(await page.textContent('.preview')).toContain('The file has the sheets First, Second.');
    await tabTo(page, 'input[name=sheet]');
    await page.keyboard.type('second');
    await page.keyboard.press('Tab');
    await page.waitForSelector('.rows >> text=GARCIA, ANNA');
    expect(await page.textContent('.numbers')).toContain('SheetSecond');
    expect(await violationsOf(page)).toEqual([]);
    const rowOf = (at: number): string => `"GARCIA, MARY",2016-10-31,${'\u0161'.repeat(at % 100)}\n`;
    const csv = `\ufeffname,date,note\n${Array.from({ length: 5000 }, (_, at) => rowOf(at)).join('')}`;
    await choose(page, 'utf16.csv', Buffer.from(csv, 'utf16le'));
    await page.waitForSelector('.numbers >> text=UTF-16');
    expect(await page.inputValue('input[name=sheet]')).toBe('');
    await context.close();
  });

  it('focuses the column to choose, and detects the columns of another file again', async () => {
    const [context, page] = await signedInPage();
    await choose(page, 'donors.csv', 'Given,Day\nMary,2016-10-31\n');
    await page.waitForSelector('.preview .warnings');
    await page.click('#start');
    await page.waitForSelector('#fault');
    expect(await page.textContent('#fault')).toContain('Choose the full name, first name or surname column.');
    expect(await page.evaluate('document.activeElement.name')).toBe('map.contributor_name');

    await page.selectOption('select[name="map.first_name"]', 'Given');
    await page.setInputFiles('#file', {
      name: 'b.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,date\nMary Garcia,2016-10-31\n'),
    });
    await page.waitForSelector('.rows >> text=Mary Garcia');
    expect(await page.inputValue('select[name="map.contributor_name"]')).toBe('name');
    await context.close();
  });

  it('has its progress updated in the list of batches without moving the focus', async () => {
    const [context, page] = await signedInPage();
    await page.clock.install();
    const body = { type: 'age_gender', queries: [{ name: 'Mary', date: '2016-10-31' }] };
    const { id } = (await (await api.post('/enrich/v1/batches', body)).json()) as { id: string };
    await page.goto(`${api.url}/batches`);
    await page.focus(`#batch-${id} h2 a`);
    await api.work();
    await page.clock.fastForward(10_000);
    await page.waitForSelector(`#batch-${id} .state >> text=1 row, completed`);
    expect(await page.evaluate(`document.activeElement.closest('li').id`)).toBe(`batch-${id}`);
    await context.close();
  });

  it('can be uploaded, previewed and deleted without scripts', async () => {
    const [context, page] = await signedInPage({ javaScriptEnabled: false });
    const file = { name: 'donors.csv', mimeType: 'text/csv', buffer: Buffer.from('Given,date\nMary,2016-10-31\n') };
    await page.check('input[value=age_gender]');
    await page.setInputFiles('#file', file);
    await page.click('#look');
    await page.waitForSelector('.preview');
    await page.selectOption('select[name="map.first_name"]', 'Given');
    await page.setInputFiles('#file', file);
    await page.click('#start');
    await page.waitForSelector('h1 >> text=0 of 1 row,');
    await api.work();
    await page.waitForSelector('h1 >> text=1 row, completed'); // the page reloads itself
    await page.click('text=Delete…');
    await page.click('button >> text=Delete');
    expect(await page.textContent('.notice')).toContain('deleted');
    await context.close();
  });

  it('shows its progress also without the event stream', async () => {
    const [context, page] = await signedInPage();
    // each stream ends at once; the browser reconnects after 1 ms instead of its default of 3 s
    const body = 'retry: 1\n\n';
    await context.route(/format=sse/, (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await page.clock.install();
    const { links } = (await (
      await api.post('/enrich/v1/batches', { type: 'age_gender', queries: [{ name: 'Mary', date: '2016-10-31' }] })
    ).json()) as { links: { self: string } };
    let streams = 0;
    const last = page.waitForEvent('requestfinished', (request) => request.url().includes('=sse') && ++streams === 3);
    await page.goto(`${api.url + links.self}?format=html`);
    await last;
    await api.work();
    await page.clock.fastForward(60_000);
    await page.waitForSelector('h1 >> text=1 row, completed');
    await context.close();
  });

  it('has small pages that fit any screen, light and dark', async () => {
    const [context, page] = await signedInPage();
    const file = 'name,date\nMary,2016-10-31\nMary,never\n';
    await api.post('/enrich/v1/batches?type=age_gender', file, { 'content-type': 'text/csv' });
    await api.work();
    await page.goto(`${api.url}/batches`);
    const batch = await page.getAttribute('.batches h2 a', 'href');
    const deleting = `/batches/${/batches\/([^?]+)/.exec(batch ?? '')?.[1]}/delete`;
    for (const path of ['/upload', '/batches', batch, deleting]) {
      const answer = await page.goto(api.url + path);
      expect(gzipSync((await answer?.body()) ?? '').length).toBeLessThan(MAX_BYTES);
      for (const [width, colorScheme] of [
        [390, 'dark'],
        [1440, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        if (path === batch) expect(await page.isVisible('.shares td:last-child >> nth=0')).toBe(true);
        expect([path, await violationsOf(page)]).toEqual([path, []]);
      }
    }
    await context.close();
  });
});
