import {
  type Demographics,
  type SurnameTable,
  censusFor,
  emptyEthnicity,
  surnameEthnicity,
} from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';
import { type Line, alternate, count, line, median, ratios } from '../measure';
import { filedSurnames } from '../../../test/support/bench-data/donors';
import { type Answers, FreshStrings, timedAnswers } from './ages';

const PER_SECOND_M = 4;
const OF_BARE = 3;
const NOT_THERE = -1;

/** Looks surnames up like api and worker: as filed, with one reused result object. */
function ours(demographics: Demographics): Answers {
  const result = emptyEthnicity();
  return (surnames, years, into) => {
    for (let i = 0; i < surnames.length; i++)
      into[i] = surnameEthnicity(surnames[i], years[i], demographics, result).surnameRow;
  };
}

const rowsOf = ({ names }: SurnameTable): Map<string, number> => {
  const rows = new Map<string, number>();
  for (let i = 0; i < names.size; i++) rows.set(names.keyAt(i), i);
  return rows;
};

/** The least work of a lookup: the spelling of the Census file is known beforehand, and a Map has its row. */
function bare({ tables }: Release): Answers {
  const [of2000, of2010] = [rowsOf(tables.surnames2000), rowsOf(tables.surnames2010)];
  return (keys, years, into) => {
    for (let i = 0; i < keys.length; i++)
      into[i] = (censusFor(years[i]) === 2000 ? of2000 : of2010).get(keys[i]) ?? NOT_THERE;
  };
}

/** Measures lookups of surnames as filed. Compares every row of every round. */
export async function surnameLines(release: Release, surnames: number, rounds: number): Promise<Line[]> {
  const { names, years } = filedSurnames(surnames, release);
  const filed = new FreshStrings(names);
  const keys = new FreshStrings(
    names.map((name, i) => {
      const { surnameTable, surnameRow } = surnameEthnicity(name, years[i], release.demographics, emptyEthnicity());
      return surnameTable?.names.keyAt(surnameRow) ?? name;
    }),
  );
  const expected = new Int32Array(surnames);
  bare(release)(keys.take(), years, expected);
  const variants = {
    bare: timedAnswers(bare(release), keys, years, expected),
    donorlens: timedAnswers(ours(release.demographics), filed, years, expected),
  };
  for (const warm of Object.values(variants)) warm();
  const times = await alternate(rounds, variants, 'ethnicity');
  const perSecond = (ns: readonly number[]): number[] => ns.map((each) => 1e3 / each);
  const against = ratios(times.donorlens, times.bare);
  const rates = perSecond(times.donorlens);
  const label = `ethnicity of ${count(surnames)} surnames as filed`;
  const shown = (rate: number): string => `${rate.toFixed(1)}M/s`;
  return [
    line({ what: `${label}: a Map of the spellings in the files, the baseline`, values: perSecond(times.bare), shown }),
    line({
      what: `${label}: donorlens, normalizing, against the baseline`,
      values: rates,
      shown,
      against,
      target: [`≥ ${PER_SECOND_M}M/s, ≤ ${OF_BARE}`, median(rates) >= PER_SECOND_M && median(against) <= OF_BARE],
    }),
  ];
}
