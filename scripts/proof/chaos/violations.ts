import { KEY, until } from '../installation';

const COMPARED_MS = 120_000;

/** Batches whose counters do not agree with their chunks, as an api tells once they have been compared: must be 0. */
export async function violationsAt(url: string): Promise<number> {
  const found = await until(
    'counters are compared with chunks',
    async () => {
      const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } })).text();
      return /^donorlens_invariant_violations(?:\{[^}]*\})? (\d+)/m.exec(text);
    },
    COMPARED_MS,
  );
  return Number(found[1]);
}
