import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { pathOf } from './tools';

/** Drawing is a part of the browser's own process: one apart takes the browser with it once it has ended six times. */
const ARGUMENTS = ['--no-sandbox', '--in-process-gpu'];

/** @throws what Playwright says, and what Chromium wrote last */
async function start(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'chromium-log-'));
  const log = join(home, 'log');
  let browser: Browser | undefined;
  try {
    const args = [...ARGUMENTS, '--enable-logging', `--log-file=${log}`];
    browser = await chromium.launch({ executablePath: pathOf('chromium'), args });
    await (await browser.newPage()).close();
    return browser;
  } catch (error) {
    await browser?.close();
    const last = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-10) : [];
    throw new Error([String(error), ...last].join('\n'), { cause: error });
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Until the next try: a machine that is too busy for a browser may have time for one then. */
const PAUSES_MS = [1_000, 5_000, 15_000];

/**
 * Chromium of the machine, without a window, once it has shown a page: one that ends before is started again.
 * Tests that need one are described with `describeWith('chromium')`.
 */
export async function launchBrowser(): Promise<Browser> {
  for (const ms of PAUSES_MS)
    try {
      return await start();
    } catch (error) {
      console.error(`Chromium did not start, and is tried again in ${ms / 1_000} s:`, error);
      await pause(ms);
    }
  return start();
}

const OF_ITS_END = /has been closed|crashed/;

/** A Chromium that may end by itself, or lose a page: the work that it took with it is done once more, in a new one. */
export class LastingBrowser {
  private running: Browser | undefined;

  /** @throws what the work throws in a browser that lives on, or the second time */
  async use<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
    const browser = await this.current();
    try {
      return await work(browser);
    } catch (error) {
      if (!OF_ITS_END.test(String(error))) throw error;
      console.error('Chromium or a page of it has ended by itself, and is started again:', error);
      await this.close();
      return work(await this.current());
    }
  }

  async close(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  private async current(): Promise<Browser> {
    if (!this.running?.isConnected()) this.running = await launchBrowser();
    return this.running;
  }
}

/** What a page did since it was opened. */
interface Watch {
  readonly complaints: string[];
  readonly hosts: Set<string>;
  readonly bytes: Promise<number>[];
}

const watches = new WeakMap<Page, Watch>();

/** A tab with its own cookies and nothing cached; what it complains of and whom it asks is kept for `checkPage`. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  const watch: Watch = { complaints: [], hosts: new Set(), bytes: [] };
  watches.set(page, watch);
  page.on('pageerror', (error) => watch.complaints.push(error.message));
  page.on('console', (message) => {
    const isOwnStatus = /the server responded with a status of 4\d\d/.test(message.text()); // a page of an error says so
    const isOfPage = message.location().url === page.url();
    if (message.type() !== 'log' && !(isOwnStatus && isOfPage)) watch.complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) watch.hosts.add(new URL(request.url()).host);
  });
  page.on('requestfinished', (request) => {
    watch.bytes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return page;
}

const watchOf = (page: Page): Watch => {
  const watch = watches.get(page);
  if (watch === undefined) throw new Error('open the page with openPage()');
  return watch;
};

/** Bytes of everything that the page has loaded, as they travelled. */
export async function weightOf(page: Page): Promise<number> {
  const bytes = await Promise.all(watchOf(page).bytes);
  return bytes.reduce((sum, one) => sum + one, 0);
}

/** Enters the key as a person does; the tab is signed in afterwards and stands at the start page. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Your key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Sign out of/ }).waitFor();
}

/** Steps on until the focus is there, as somebody without a mouse does. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`nothing leads to ${selector}`);
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** All that other colours and a wider window can change. */
const LOOKS_ONLY = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

/** Each page is measured in all of them; axe looks at two, which have both widths and both schemes between them. */
const LOOKS = [
  { width: 390, colorScheme: 'light', rules: 'every' },
  { width: 390, colorScheme: 'dark', rules: [] },
  { width: 1440, colorScheme: 'dark', rules: LOOKS_ONLY },
  { width: 1440, colorScheme: 'light', rules: [] },
] as const;

/** What axe finds wrong with the page as it stands, or with the part of it that is named: rule and place. */
export async function violationsOf(
  page: Page,
  { rules = 'every', within }: { rules?: 'every' | readonly string[]; within?: string } = {},
): Promise<string[]> {
  // Through the debugger: the page's policy forbids every script but its own, and stays in force.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const place = within === undefined ? 'document' : JSON.stringify(within);
  const only = rules === 'every' ? {} : { runOnly: rules };
  const options = { resultTypes: ['violations'], preload: false, ...only }; // preloading is for styles of other hosts
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${place}, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/**
 * Fails where the page, as it stands, is not as each of ours has to be: narrow and wide, light and dark, it violates no
 * rule of axe and never scrolls sideways; it has logged no error and asked nobody but this service.
 */
export async function checkPage(page: Page): Promise<void> {
  const before = page.viewportSize();
  const flaws: string[] = [];
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const broad = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (broad > width) flaws.push(`${width} ${colorScheme}: is ${broad} wide`);
    if (rules.length > 0)
      for (const one of await violationsOf(page, { rules })) flaws.push(`${width} ${colorScheme}: ${one}`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  const { complaints, hosts } = watchOf(page);
  const elsewhere = [...hosts].filter((host) => host !== new URL(page.url()).host);
  expect({ page: new URL(page.url()).pathname, flaws, complaints, elsewhere }).toEqual({
    page: expect.any(String),
    flaws: [],
    complaints: [],
    elsewhere: [],
  });
}
