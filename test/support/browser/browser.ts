import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, type Download, type Page } from 'playwright-core';
import { lastLogLines } from './browser-server';

export { openBrowser } from './browser-server';

/** What a page has done since it was opened. */
interface Watch {
  readonly complaints: string[];
  readonly hosts: Set<string>;
  readonly bytes: Promise<number>[];
}

const watches = new WeakMap<Page, Watch>();

/** Opens a page with its own cookies and an empty cache; records errors and requested hosts for `checkPage`. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(300_000); // only ends a test that hangs
  page.once('crash', () => console.error(`a page crashed:\n${lastLogLines()}`));
  const watch: Watch = { complaints: [], hosts: new Set(), bytes: [] };
  watches.set(page, watch);
  page.on('pageerror', (error) => watch.complaints.push(error.message));
  page.on('console', (message) => {
    const isOwnStatus = /the server responded with a status of 4\d\d/.test(message.text()); // logged by error pages
    const isOfPage = message.location().url === page.url();
    const isHint = message.text().includes('was preloaded using link preload but not used'); // only on a slow machine
    if (message.type() !== 'log' && !isHint && !(isOwnStatus && isOfPage)) watch.complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) watch.hosts.add(new URL(request.url()).host);
  });
  page.on('requestfinished', (request) => {
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
    size.catch(() => undefined); // a closed page has no sizes: only weightOf() may fail
    watch.bytes.push(size);
  });
  return page;
}

const watchOf = (page: Page): Watch => {
  const watch = watches.get(page);
  if (watch === undefined) throw new Error('open the page with openPage()');
  return watch;
};

/** Transferred bytes of everything that the page has loaded. */
export async function weightOf(page: Page): Promise<number> {
  const bytes = await Promise.all(watchOf(page).bytes);
  return bytes.reduce((sum, one) => sum + one, 0);
}

/** The text of a file that the page has downloaded. */
export async function downloadedText(download: Download): Promise<string> {
  return text(await download.createReadStream());
}

/** Signs in with the key through the form; afterwards the page shows the start page. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`nothing leads to ${selector}`);
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Rules whose result depends on colors and the width of the window. */
const LOOKS_ONLY = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

/** Each page is measured in all of these; axe checks two, which cover both widths and both color schemes. */
const LOOKS = [
  { width: 390, colorScheme: 'light', rules: 'every' },
  { width: 390, colorScheme: 'dark', rules: [] },
  { width: 1440, colorScheme: 'dark', rules: LOOKS_ONLY },
  { width: 1440, colorScheme: 'light', rules: [] },
] as const;

/** Violations that axe finds in the current page, or in the part `within`: rule and element. */
export async function violationsOf(
  page: Page,
  { rules = 'every', within }: { rules?: 'every' | readonly string[]; within?: string } = {},
): Promise<string[]> {
  // Evaluated by the debugger: the policy of the page allows only its own scripts, and stays in force.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const place = within === undefined ? 'document' : JSON.stringify(within);
  const targets = { rules: { 'target-size': { enabled: true } } }; // WCAG 2.2, which axe leaves out by default
  const only = rules === 'every' ? targets : { runOnly: rules };
  const options = { resultTypes: ['violations'], preload: false, ...only }; // only styles of other hosts need it
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${place}, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/**
 * Fails if the current page breaks a rule for all pages: narrow and wide, light and dark, it has no axe violation and
 * no horizontal scrolling; it has logged no error and called no other service.
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
