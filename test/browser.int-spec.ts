import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Browser } from 'playwright-core';
import { openBrowser, openPage, weightOf } from './support/browser/browser';
import { describeWith } from './support/tools';

/** Sends requests in endless loops, so that some of them are always unfinished. */
const BUSY_PAGE = '<script>for (let n = 0; n < 5; n++) (async () => { for (;;) await fetch("/call"); })()</script>';

describeWith('chromium')('a page that is closed while its requests are open', () => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? BUSY_PAGE : 'called');
  });
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  // Jest reports an unhandled rejection for the hook that opened the connection, which fails every test of the suite.
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it('does not fail a test', async () => {
    const page = await openPage(browser);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    for (let calls = 0; calls < 100; calls++) await page.waitForEvent('requestfinished');
    expect(await weightOf(page)).toBeGreaterThan(BUSY_PAGE.length);
  });
});
