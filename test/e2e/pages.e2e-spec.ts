import { type Browser } from 'playwright-core';
import { checkPage, launchBrowser, openPage, signIn, weightOf } from '../support/browser';
import { type RunningApi, runningApi } from '../support/running-api';
import { describeWith } from '../support/tools';

/** What a page may weigh with its styles and scripts, as it travels. */
const MOST_BYTES = 30_000;

const DAY = '/date/2017-07-01';
const NAMES = '/enrich/v1/age_gender/name/';
const SURNAMES = '/enrich/v1/ethnicity/surname/';

/** Every page there is, in each of its states: a new one is a line here. */
const PAGES: readonly (readonly [what: string, path: string])[] = [
  ['start page', '/'],
  ['a name', `${NAMES}Mary${DAY}`],
  ['a name that was usual twice', `${NAMES}Emma${DAY}?min_age=18`],
  ['a name of both sexes', `${NAMES}Casey${DAY}`],
  ['a name that nobody has', `${NAMES}${'x'.repeat(200)}${DAY}`],
  ['a surname', `${SURNAMES}Garcia/year/2016?format=html`],
  ['a surname with withheld shares', `${SURNAMES}Benally/year/2004?format=html`],
  ['a surname that nobody has', `${SURNAMES}${'x'.repeat(200)}/year/2016?format=html`],
  ['data and charts', '/data-charts/v1/about'],
  ['an upload', '/upload'],
  ['batches', '/batches'],
  ["the operators' console", '/ops'],
  ['a question with a fault', `${NAMES}Mary/date/never`],
  ['nothing', '/nowhere'],
  ['an address of forms', '/session'],
];

/** What everybody sees. */
const OPEN_PAGES: typeof PAGES = [
  ['start page', '/'],
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
    await page.close();
    return state;
  };
  beforeAll(async () => {
    api = await runningApi();
    browser = await launchBrowser();
    signedIn = await session();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  const check = async (path: string, storageState?: typeof signedIn): Promise<void> => {
    const page = await openPage(browser, { storageState });
    await page.goto(api.url + path);
    await checkPage(page);
    expect(await weightOf(page)).toBeLessThan(MOST_BYTES);
    await page.context().close();
  };

  it.each(PAGES)('is fit for everybody: %s', (_what, path) => check(path, signedIn));
  it.each(OPEN_PAGES)('is fit for everybody who has no key yet: %s', (_what, path) => check(path));
});
