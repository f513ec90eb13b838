import { type SyntheticGeocoder, startGeocoder } from '../../support/installation/geocoder';
import { CITY, STREETS } from './planted-values';

/** Shares of its calls that fail, by kind of failure. */
const FAULTS = ['503=0.1', 'html=0.1', 'reset-midway=0.1', 'missing-rows=0.2'].flatMap((fault) => ['--fault', fault]);
const SETTINGS = { benchmark: 'Public_AR_Current', vintage: 'Census2020_Current', format: 'json' };
/** So many digits distinguish a coordinate from other numbers. */
const COORDINATE_DIGITS = 9;

export interface FailingGeocoder extends SyntheticGeocoder {
  /** Coordinates of the streets as the geocoder writes them. */
  readonly coordinates: () => Promise<readonly string[]>;
}

export async function failingGeocoder(): Promise<FailingGeocoder> {
  const geocoder = await startGeocoder(FAULTS);
  return { ...geocoder, coordinates: () => coordinatesOf(geocoder.url) };
}

async function coordinatesOf(url: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const street of STREETS) {
    const query = new URLSearchParams({ street, city: CITY, state: 'IL', zip: '62701', ...SETTINGS });
    const text = await firstAnswer(`${url}/geographies/address?${query.toString()}`);
    for (const [, number] of text.matchAll(/"[xy]":\s*-?([\d.]+)/g))
      if (number.length >= COORDINATE_DIGITS) found.add(number.slice(0, COORDINATE_DIGITS));
  }
  return [...found];
}

async function firstAnswer(url: string): Promise<string> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const text = await fetch(url)
      .then((answer) => (answer.ok ? answer.text() : null))
      .catch(() => null);
    if (text?.startsWith('{')) return text;
  }
  throw new Error('the synthetic geocoder sent no JSON in 20 attempts');
}
