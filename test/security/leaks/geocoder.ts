import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from '@donorlens/local-servers';
import { ROOT } from '../../support/installation';
import { CITY, STREETS } from './secrets';

/** Some calls of it fail, each in another way. */
const FAULTS = ['503=0.1', 'html=0.1', 'reset-midway=0.1', 'missing-rows=0.2'].flatMap((fault) => ['--fault', fault]);
const SETTINGS = { benchmark: 'Public_AR_Current', vintage: 'Census2020_Current', format: 'json' };
/** Digits of a coordinate by which it is told from other numbers. */
const TOLD_BY = 9;

export interface MadeUpGeocoder {
  readonly url: string;
  /** What it says of the streets, as it says it. */
  readonly coordinates: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

export async function failingGeocoder(): Promise<MadeUpGeocoder> {
  const args = ['-r', './test/support/typescript.js', 'test/support/census-server/main.ts', '--port', '0', ...FAULTS];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  endWithUs(child, 'SIGKILL');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = line.toString().trim();
  return {
    url,
    coordinates: () => coordinatesOf(url),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function coordinatesOf(url: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const street of STREETS) {
    const query = new URLSearchParams({ street, city: CITY, state: 'IL', zip: '62701', ...SETTINGS });
    const text = await answered(`${url}/geographies/address?${query.toString()}`);
    for (const [, number] of text.matchAll(/"[xy]":\s*-?([\d.]+)/g))
      if (number.length >= TOLD_BY) found.add(number.slice(0, TOLD_BY));
  }
  return [...found];
}

async function answered(url: string): Promise<string> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const text = await fetch(url)
      .then((answer) => (answer.ok ? answer.text() : null))
      .catch(() => null);
    if (text?.startsWith('{')) return text;
  }
  throw new Error('the synthetic geocoder answers nothing');
}
