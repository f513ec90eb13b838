import { type Browser, chromium, type Page } from 'playwright-core';
import { runApp } from '../../../scripts/resilience/support/operator';
import { type Installation } from '../../support/installation';
import { type TrialService, type Outcome } from './trial';
import { type Body, bodyOf, EXAMPLES, fileOf, formBody, type Hostile, nowhere } from './page-examples';
import { pageRoutesOf } from './page-routes';
import { FULL } from '../security-service';

const CHROMIUM = '/usr/bin/chromium';

/** Texts that become elements, attributes or scripts if a page does not escape them. Each is short enough for a name. */
const PAYLOADS = [
  `"'><qzx-a qzxb=1></title></textarea></style><img src=qzx onerror=alert(1)><script>alert(1)</script>`,
  `' qzxb=1 onfocus=alert(1) autofocus x='`,
  `" qzxb=1 onmouseover=alert(1) x="`,
  `--><svg onload=alert(1)><qzx-a>]]></svg>`,
  `javascript:alert(1)//\u2028</script><qzx-a>`,
  `&lt;qzx-a&gt;&#60;qzx-a&#62;\\u003cqzx-a\\u003e`,
];

/** Finds markup that pages never contain, unless a text was not escaped. */
const INJECTED = `[...document.querySelectorAll('*')].flatMap((one) => [
  ...(/^qzx/i.test(one.localName) || ['iframe', 'object', 'embed'].includes(one.localName) ? [one.localName] : []),
  ...(one.localName === 'base' && new URL(one.href).origin !== location.origin ? ['base'] : []),
  ...(one.localName === 'script' && !one.src && one.type !== 'application/json' ? ['inline script'] : []),
  ...one.getAttributeNames().filter((name) => /^(on|qzx)/i.test(name)).map((name) => one.localName + '@' + name),
  ...['href', 'src', 'action', 'formaction', 'xlink:href'].filter((name) => /^\\s*javascript:/i.test(one.getAttribute(name) ?? '')),
])`;

/** Selectors of pages that a script renders; other pages have a heading or are an SVG. */
const RENDERED: readonly (readonly [route: RegExp, selector: string])[] = [
  [/ \/docs$/, '.opblock'],
  [/ \/search\/suggestions$/, '[role=option]'],
];
const OTHERWISE = [/./, 'h1, svg:root'] as const;
const RENDERED_MS = 60_000;

/** Opens pages in a browser and checks them for injected markup. */
class PageChecker {
  readonly faults: string[] = [];
  /** Routes that have shown an existing page. */
  readonly shown = new Set<string>();
  looked = 0;

  private constructor(
    private readonly page: Page,
    private readonly bench: TrialService,
    private readonly csrf: string,
  ) {}

  static async signedIn(browser: Browser, bench: TrialService, key: string): Promise<PageChecker> {
    const page = await browser.newPage();
    await page.goto(bench.url);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const csrf = /[?&;]csrf=([\w%-]+)/.exec(await page.content())?.[1];
    if (csrf === undefined) throw new Error('the page has no form of the session');
    const checker = new PageChecker(page, bench, decodeURIComponent(csrf));
    page.on('dialog', (dialog) => {
      checker.faults.push(`a dialog opens at ${page.url().slice(0, 200)}`);
      void dialog.dismiss();
    });
    return checker;
  }

  /** Opens a path as a link does; with a body, as a form does. */
  async open(route: string, path: string, body?: Body): Promise<void> {
    const url = this.bench.url + path;
    if (body) await this.sendNext(new URL(url).pathname, body);
    const answer = await this.page.goto(url);
    if (answer === null) throw new Error(`${path}: the page did not load`);
    const { 'content-type': type = '' } = answer.headers();
    this.bench.count(answer.status());
    if (answer.status() >= 500) this.faults.push(`${path}: ${answer.status()}`);
    const isPage = /^(text\/html|image\/svg)/.test(type);
    const isThere = isPage && answer.status() < 400;
    if (isPage && (await this.isRendered(isThere ? route : '', path)) && isThere) this.shown.add(route);
    await this.checkMarkup(path);
  }

  /** Uploads a file and checks its preview. */
  async upload(name: string, file: Buffer): Promise<void> {
    await this.open('GET /upload', '/upload');
    await this.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: file });
    await this.page.getByText('Mary').first().waitFor({ timeout: RENDERED_MS });
    await this.checkMarkup(`the preview of ${name}`);
  }

  /** Waits until the open page of a batch shows that it has ended. */
  async untilEnd(): Promise<void> {
    await this.page.getByText(/^The batch is /).waitFor({ state: 'attached', timeout: RENDERED_MS });
    await this.checkMarkup('a batch that has ended');
  }

  private async sendNext(path: string, { type, bytes }: Body): Promise<void> {
    const headers = { 'content-type': type, 'x-csrf-token': this.csrf };
    await this.page.route(
      ({ pathname }) => pathname === path,
      (sent) =>
        sent.continue({ method: 'POST', headers: { ...sent.request().headers(), ...headers }, postData: bytes }),
      { times: 1 },
    );
  }

  private async isRendered(route: string, path: string): Promise<boolean> {
    const [, selector] = RENDERED.find(([of]) => of.test(route)) ?? OTHERWISE;
    const rendered = this.page.locator(selector).first().waitFor({ state: 'attached', timeout: RENDERED_MS });
    return rendered.then(
      () => true,
      () => {
        this.faults.push(`${path}: shows no ${selector}`);
        return false;
      },
    );
  }

  private async checkMarkup(what: string): Promise<void> {
    this.looked++;
    const found = await this.page.evaluate<string[]>(INJECTED);
    if (found.length > 0) this.faults.push(`${what}: ${[...new Set(found)].join(', ')}`);
  }
}

async function keyNamed(name: string, { environment, postgres }: Installation): Promise<string> {
  const scopes = 'enrich:read,enrich:batch,charts:read,charts:rows,ops';
  const args = ['keys', 'issue', '--name', name, '--scopes', scopes, '--unlimited', '--json'];
  const { out } = await runApp('cli', args, { ...environment, DATABASE_URL: postgres.url });
  return (JSON.parse(out) as { key: string }).key;
}

/** Submits a batch whose name, values and webhook URL contain the hostile text. */
async function hostileBatch(bench: TrialService, key: string, payload: string): Promise<Hostile> {
  const file = fileOf(payload);
  const { type, bytes } = formBody(file, payload);
  const headers = {
    Authorization: `Bearer ${key}`,
    'Webhook-Url': 'https://receiver.example/%22%3E%3Cqzx-a%3E',
    'Content-Type': type,
  };
  const { status, body } = await bench.sendAs('POST', '/enrich/v1/batches', headers, bytes);
  if (status !== 202) throw new Error(`${status} ${body.toString().slice(0, 300)}`);
  return { payload, file, batchId: (JSON.parse(body.toString()) as { id: string }).id };
}

const EVERY = Object.entries(EXAMPLES);

/** Checks the pages while the queue is paused, so that they show batches in progress. */
async function checkPages(
  visitor: PageChecker,
  bench: TrialService,
  { key, environment }: { key: string; environment: Installation['environment'] },
  payload: string,
): Promise<void> {
  const hostile = await hostileBatch(bench, key, payload);
  await runApp('cli', ['queues', 'pause', 'enrich'], environment);
  await visitor.open('', nowhere(hostile));
  for (const [route, paths] of EVERY)
    for (const path of paths(hostile))
      await visitor.open(route, path, route.startsWith('POST ') ? bodyOf(route, hostile) : undefined);
  await runApp('cli', ['queues', 'resume', 'enrich'], environment);
  await visitor.untilEnd();
  await visitor.upload(`${payload.replaceAll('/', '_')}.csv`, hostile.file);
}

/** No page of the router shows a sent text as markup. */
export async function pages(bench: TrialService, installation: Installation): Promise<Outcome> {
  const payloads = FULL ? PAYLOADS : PAYLOADS.slice(0, 1);
  const routes = await pageRoutesOf(installation.environment);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const key = await keyNamed(PAYLOADS[0], installation);
    const visitor = await PageChecker.signedIn(browser, bench, key);
    const { environment } = installation;
    for (const payload of payloads) await checkPages(visitor, bench, { key, environment }, payload);
    const unseen = routes
      .filter((route) => !visitor.shown.has(route))
      .map((route) => `${route}: no existing page was shown`);
    const unknown = EVERY.filter(([route]) => !routes.includes(route)).map(([route]) => `${route}: no such route`);
    return {
      what: `markup in texts that pages show, all ${routes.length} routes with a page`,
      looked: visitor.looked,
      faults: [...visitor.faults, ...unseen, ...unknown],
    };
  } finally {
    await browser.close();
  }
}
