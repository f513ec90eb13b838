/**
 * Takes the screenshots of the documents from the running pages, with the official files if they are beside the
 * project. Needs chromium on the PATH.
 *
 *     npm run build && node dist/scripts/pictures.js
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { KEY } from '../test/support/installation';
import { startService } from './bench/service';

const FOLDER = resolve(__dirname, '../../docs/images');
const PAGE = '/enrich/v1/age_gender/name/Clara/date/2020-11-03?min_age=18';
const WIDTH = 900;

async function take(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await browser.newPage({ colorScheme, viewport: { width: WIDTH, height: 900 } });
  await page.setExtraHTTPHeaders({ 'x-api-key': KEY });
  await page.goto(url + PAGE);
  const chart = await page.locator('figure').first().boundingBox();
  const path = join(FOLDER, `age-${colorScheme}.png`);
  await page.screenshot({ path, clip: { x: 0, y: 0, width: WIDTH, height: chart ? chart.y + chart.height + 8 : 700 } });
  process.stdout.write(`${path}\n`);
}

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  const service = await startService({ ...process.env, GEOCODER_URL: 'http://127.0.0.1:9/geocoder' });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    for (const scheme of ['light', 'dark'] as const) await take(browser, service.url, scheme);
  } finally {
    await browser.close();
    await service.stop();
  }
}

void main();
