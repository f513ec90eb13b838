import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { formOf } from '../fuzz/draft';
import { type Installation, ROOT } from '../installation';
import { type Bench, type Outcome } from './bench';

const CHROMIUM = '/usr/bin/chromium';
const CLI = join(ROOT, 'dist/apps/cli/src/main.js');

/** Texts that would be elements, attributes or scripts if one place forgot to escape. Each within the length of a name. */
const PAYLOADS = [
  `"'><qzx-a qzxb=1></title></textarea></style><img src=qzx onerror=alert(1)><script>alert(1)</script>`,
  `' qzxb=1 onfocus=alert(1) autofocus x='`,
  `" qzxb=1 onmouseover=alert(1) x="`,
  `--><svg onload=alert(1)><qzx-a>]]></svg>`,
  `javascript:alert(1)//\u2028</script><qzx-a>`,
  `&lt;qzx-a&gt;&#60;qzx-a&#62;\\u003cqzx-a\\u003e`,
];

/** What of ours never is in a page, and would be if a text had become markup. */
const INJECTED = `[...document.querySelectorAll('*')].flatMap((one) => [
  ...(/^qzx/i.test(one.localName) || ['iframe', 'object', 'embed'].includes(one.localName) ? [one.localName] : []),
  ...(one.localName === 'base' && new URL(one.href).origin !== location.origin ? ['base'] : []),
  ...(one.localName === 'script' && !one.src && one.type !== 'application/json' ? ['inline script'] : []),
  ...one.getAttributeNames().filter((name) => /^(on|qzx)/i.test(name)).map((name) => one.localName + '@' + name),
  ...['href', 'src', 'action', 'formaction', 'xlink:href'].filter((name) => /^\\s*javascript:/i.test(one.getAttribute(name) ?? '')),
])`;

/** Addresses whose pages show what stands in them. */
function addresses(payload: string): string[] {
  const escaped = encodeURIComponent(payload);
  return [
    ...['html', 'svg'].flatMap((format) => [
      `/enrich/v1/age_gender/name/${escaped}/date/2017-07-01?format=${format}`,
      `/enrich/v1/ethnicity/surname/${escaped}/year/2016?format=${format}`,
    ]),
    `/enrich/v1/age_gender/name/Mary/date/${escaped}`,
    `/enrich/v1/age_gender/name/Mary/date/2017-07-01?min_age=${escaped}&format=${escaped}`,
    `/enrich/v1/age_gender/ask?name=${escaped}&date=2017-07-01`,
    `/enrich/v1/ethnicity/ask?surname=${escaped}&year=2016`,
    ...['age_distribution/committee', 'cumulative_donors/candidate'].flatMap((chart) => [
      `/data-charts/v1/${chart}?format=html&name_part=${escaped}&cycle=${escaped}`,
      `/data-charts/v1/${chart}?format=svg&candidate_id=${escaped}&committee_id=${escaped}`,
    ]),
    `/data-charts/v1/about?x=${escaped}`,
    `/nowhere/${escaped}?${escaped}=${escaped}`,
    `/sign-in?wrong=true&next=/${escaped}`,
    `/batches?after=${escaped}`,
    `/ops?asked=${escaped}&format=html`,
    `/guide/${escaped}`,
    `/enrich/v1/batches/${escaped}?format=html`,
  ];
}

/** What a page shows of others' texts, wherever they were sent. */
class Visitor {
  readonly faults: string[] = [];
  seen = 0;

  private constructor(
    private readonly page: Page,
    private readonly url: string,
  ) {}

  static async signedIn(browser: Browser, url: string, key: string): Promise<Visitor> {
    const page = await browser.newPage();
    const visitor = new Visitor(page, url);
    page.on('dialog', (dialog) => {
      visitor.faults.push(`a dialog opens at ${page.url().slice(0, 200)}`);
      void dialog.dismiss();
    });
    await page.goto(url);
    await page.getByLabel('Your key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /^Sign out of/ }).waitFor();
    await visitor.look('the start page');
    return visitor;
  }

  async visit(path: string): Promise<void> {
    const answer = await this.page.goto(this.url + path, { waitUntil: 'load' });
    if ((answer?.status() ?? 500) >= 500) this.faults.push(`${path}: ${answer?.status()}`);
    await this.look(path);
  }

  /** The file as a person drops it: its preview, then its batch. */
  async upload(name: string, file: Buffer): Promise<void> {
    await this.page.goto(`${this.url}/upload`);
    await this.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: file });
    await this.page.getByText('Mary').first().waitFor({ timeout: 30_000 });
    await this.look(`the preview of ${name}`);
  }

  async look(what: string): Promise<void> {
    this.seen++;
    const found = await this.page.evaluate<string[]>(INJECTED);
    if (found.length > 0) this.faults.push(`${what}: ${[...new Set(found)].join(', ')}`);
  }
}

async function keyNamed(name: string, { environment, postgres }: Installation): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      CLI,
      'keys',
      'issue',
      '--name',
      name,
      '--scopes',
      'enrich:read,enrich:batch,charts:read,charts:rows,ops',
      '--json',
    ],
    {
      env: { PATH: process.env.PATH, ...environment, DATABASE_URL: postgres.url },
    },
  );
  return (JSON.parse(stdout) as { key: string }).key;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Columns, values, ids and bad rows of a file. */
const fileOf = (payload: string): Buffer =>
  Buffer.from(
    [
      `first_name,last_name,date,street,${quoted(payload)}`,
      `Mary,${quoted(payload)},2016-10-01,${quoted(payload)},${quoted(payload)}`,
      `${quoted(payload)},x,no date,x,${quoted(payload)}`,
    ].join('\n'),
  );

/** Batches named, filled and announced by somebody hostile, under the key that looks at them. */
async function sendBatch(bench: Bench, key: string, payload: string): Promise<string> {
  const form = formOf(fileOf(payload), payload.replaceAll('"', '%22').replaceAll('/', '_'));
  const headers = {
    Authorization: `Bearer ${key}`,
    'Webhook-Url': 'https://receiver.example/%22%3E%3Cqzx-a%3E',
    'Content-Type': 'multipart/form-data; boundary=boundaryOfTheForm',
  };
  const { status, body } = await bench.sendAs('POST', '/enrich/v1/batches', headers, form);
  if (status !== 202) throw new Error(`${status} ${body.toString().slice(0, 300)}`);
  return (JSON.parse(body.toString()) as { id: string }).id;
}

async function visitAll(visitor: Visitor, bench: Bench, key: string): Promise<void> {
  for (const payload of PAYLOADS) {
    const id = await sendBatch(bench, key, payload);
    await bench.sendAs('POST', `/ops/ask?action=pause&queue=enrich`, { Authorization: `Bearer ${key}` }, null);
    for (const path of addresses(payload)) await visitor.visit(path);
    for (const path of [
      `/enrich/v1/batches/${id}?format=html`,
      `/batches/${id}/delete`,
      '/batches',
      '/ops',
      '/ops/queues',
    ])
      await visitor.visit(path);
    await bench.sendAs('POST', `/ops/ask?action=resume&queue=enrich`, { Authorization: `Bearer ${key}` }, null);
    await visitor.upload(`${payload.replaceAll('/', '_')}.csv`, fileOf(payload));
  }
  await visitor.visit('/batches');
  await visitor.visit('/ops');
}

/** No text that anybody sent becomes a part of a page. */
export async function pages(bench: Bench, installation: Installation): Promise<Outcome> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const key = await keyNamed(PAYLOADS[0], installation);
    const visitor = await Visitor.signedIn(browser, bench.url, key);
    await visitAll(visitor, bench, key);
    return { what: 'markup in whatever a page shows', tried: visitor.seen, refused: 0, faults: visitor.faults };
  } finally {
    await browser.close();
  }
}
