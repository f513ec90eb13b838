import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { TEST_BROWSER_SERVER, TEST_FOLDER } from '../servers/environment-names';
import { browserPath } from '../tools';

/** `--disable-gpu` renders in software: repeated failures of the GPU process would end Chromium as a whole. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu'];

const logFile = (): string => join(process.env[TEST_FOLDER] ?? '', 'chromium.log');

/**
 * Starts the only Chromium of the test run and passes its address to Jest's workers. Its log file has what it writes to
 * stderr, and how it ended if it ended before the run.
 * @returns undefined if no Chromium is installed; suites that need it use `describeWith('chromium')`
 */
export async function startBrowserServer(): Promise<BrowserServer | undefined> {
  const executablePath = browserPath();
  if (executablePath === undefined) return undefined;
  const server = await chromium.launchServer({ executablePath, args: ARGUMENTS, host: '127.0.0.1' });
  const log = createWriteStream(logFile());
  const child = server.process();
  child.stderr?.pipe(log, { end: false });
  child.once('exit', (code, signal) => log.end(`Chromium ended with exit code ${code}, signal ${signal}\n`));
  process.env[TEST_BROWSER_SERVER] = server.wsEndpoint();
  return server;
}

/**
 * Connects to the Chromium of the test run. Closing the connection closes the contexts and pages opened through it.
 * @throws the error of Playwright, with the last lines of Chromium's log
 */
export async function openBrowser(): Promise<Browser> {
  const endpoint = process.env[TEST_BROWSER_SERVER];
  if (endpoint === undefined)
    throw new Error('this test needs Chromium on the PATH (Debian: apt-get install chromium-headless-shell)');
  try {
    return await chromium.connect(endpoint);
  } catch (error) {
    throw new Error(`${String(error)}\n${lastLogLines()}`, { cause: error });
  }
}

/** The last lines of Chromium's log, for the message of a test that lost its browser. */
export const lastLogLines = (): string =>
  existsSync(logFile()) ? readFileSync(logFile(), 'utf8').split('\n').slice(-20).join('\n') : 'Chromium wrote no log';
