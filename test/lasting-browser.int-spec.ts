import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LastingBrowser } from './support/browser';
import { describeWith, pathOf } from './support/tools';

describeWith('chromium')('a browser that lasts', () => {
  const chromium = new LastingBrowser();
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => chromium.close());

  it('does once more what was under way when Chromium ended', async () => {
    jest.spyOn(console, 'error').mockReturnValue();
    let times = 0;
    const text = await chromium.use(async (browser) => {
      const page = await browser.newPage();
      await page.goto('data:text/html,<p>here</p>');
      if (times++ === 0) {
        const debuggers = await browser.newBrowserCDPSession();
        void debuggers.send('Browser.crash').catch(() => undefined);
        await page.waitForSelector('h1');
      }
      return page.textContent('p');
    });
    expect({ times, text }).toEqual({ times: 2, text: 'here' });
  });

  it('does nothing twice that fails while Chromium lives', async () => {
    let times = 0;
    const failing = chromium.use(() => Promise.reject(new Error(`failed ${++times}`)));
    await expect(failing).rejects.toThrow('failed 1');
  });

  it('is started again where Chromium did not start', async () => {
    const said = jest.spyOn(console, 'error').mockReturnValue();
    const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
    const path = process.env.PATH;
    const script = `#!/bin/sh\nmkdir '${folder}/once' 2>&- && exit 1\nexec '${pathOf('chromium')}' "$@"\n`;
    writeFileSync(join(folder, 'chromium'), script, { mode: 0o755 });
    const other = new LastingBrowser();
    try {
      process.env.PATH = `${folder}:${path}`;
      await expect(other.use((browser) => Promise.resolve(browser.isConnected()))).resolves.toBe(true);
    } finally {
      process.env.PATH = path;
      await other.close();
      rmSync(folder, { recursive: true });
    }
    expect(said.mock.calls).toEqual([[expect.stringContaining('tried again'), expect.any(Error)]]);
  });
});
