import { LastingBrowser } from './support/browser';
import { describeWith } from './support/tools';

describeWith('chromium')('a browser that lasts', () => {
  const chromium = new LastingBrowser();
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
});
