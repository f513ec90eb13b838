import { refreshCharts } from '@donorlens/charts';
import { type Line, count, fact, line } from '../lines';
import { inTurns, median, ratios } from '../measure';
import { saying } from '../progress';
import { MadeUpFacts } from './made-up-facts';
import { assertSeries, oursMs, plainMs, withCoveringIndex, withoutCoveringIndex } from './series';

const OF_PLAIN = 1.2;
const OF_SMALLER = 1.5;

interface Wanted {
  /** Rows stored before an increment. */
  readonly sizes: readonly number[];
  readonly added: number;
  readonly rounds: number;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Charts anew and by increments, in databases of their own on the server. */
export async function refreshLines(
  databaseUrl: string,
  { sizes, added, rounds }: Wanted,
): Promise<{ lines: Line[]; postgres: string }> {
  const all: MadeUpFacts[] = [];
  try {
    const lines: Line[] = [];
    for (const size of sizes) {
      const label = `${count(size)} rows stored`;
      const facts = await saying(`${label}: made up`, () => MadeUpFacts.of(size, databaseUrl));
      all.push(facts);
      lines.push(
        await anew(facts, label),
        ...(await series(facts, label, { rounds, isAimedAt: size === Math.max(...sizes) })),
      );
    }
    lines.push(...(await increments(all, { sizes, added, rounds })));
    const { rows } = await all[0].pool.query<{ server_version: string }>('show server_version');
    return { lines, postgres: rows[0].server_version.split(' ')[0] };
  } finally {
    for (const facts of all) await facts.remove();
  }
}

async function anew({ pool }: MadeUpFacts, label: string): Promise<Line> {
  const what = `${label}: all charts anew from them, once`;
  const start = performance.now();
  await saying(what, () => refreshCharts(pool, { reset: true }));
  return fact(what, seconds(performance.now() - start), '', true);
}

/** @param isAimedAt false: the line informs. The days that are stored are as many for few rows as for many. */
async function series(
  { pool }: MadeUpFacts,
  label: string,
  { rounds, isAimedAt }: { readonly rounds: number; readonly isAimedAt: boolean },
): Promise<Line[]> {
  await saying(`${label}: the covering index`, async () => {
    await pool.query('vacuum analyze');
    await withCoveringIndex(pool);
    await oursMs(pool); // warm
    await assertSeries(pool);
  });
  const variants = {
    hashed: () => plainMs(pool, ''),
    sorted: () => plainMs(pool, 'set local enable_hashagg = off'),
    donorlens: () => oursMs(pool),
  };
  const times = await inTurns(rounds, variants, `${label}: cumulative series`);
  await assertSeries(pool);
  await withoutCoveringIndex(pool);
  const plain = median(times.hashed) <= median(times.sorted) ? times.hashed : times.sorted;
  const against = ratios(times.donorlens, plain);
  return [
    line({
      what: `${label}: all cumulative series by SQL of an index alone, the better of two plans, the floor`,
      values: plain,
      shown: seconds,
    }),
    line({
      what: `${label}: all cumulative series anew from the donors that are kept`,
      values: times.donorlens,
      shown: seconds,
      against,
      ...(isAimedAt && { reach: [`≤ ${OF_PLAIN}`, median(against) <= OF_PLAIN] as const }),
    }),
  ];
}

/** The same number of new rows at each size, in turns. */
async function increments(all: readonly MadeUpFacts[], { sizes, added, rounds }: Wanted): Promise<Line[]> {
  const incrementMs = async (facts: MadeUpFacts): Promise<number> => {
    await facts.add(added);
    await facts.pool.query('checkpoint');
    const start = performance.now();
    await refreshCharts(facts.pool);
    return performance.now() - start;
  };
  const what = `${count(added)} more`;
  const names = sizes.map((size) => `at ${count(size)}`);
  const variants = Object.fromEntries(names.map((name, at) => [name, () => incrementMs(all[at])]));
  for (const facts of all) await saying(`${what}: warming up`, () => incrementMs(facts));
  const times = await inTurns(rounds, variants, what);
  for (const { pool } of all) await saying(`${what}: compared with plain SQL`, () => assertSeries(pool));
  return names.map((name, at) => {
    const values = times[name];
    if (at === 0) return line({ what: `${what} ${name}: folded into all charts, the floor`, values, shown: seconds });
    const against = ratios(values, times[names[0]]);
    const reach = [`≤ ${OF_SMALLER}`, median(against) <= OF_SMALLER] as const;
    return line({ what: `${what} ${name}: folded into all charts`, values, shown: seconds, against, reach });
  });
}
