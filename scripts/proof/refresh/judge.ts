import { CANDIDATES, DAYS } from './gift-files';

export type Verdict = 'whole' | 'short' | 'mixed';

/** What the judge knows of an edition of the reference data: its answers when nothing was exchanged. */
export interface Edition {
  readonly bulk: string;
  /** Of the donors' first name, by day of the gifts. */
  readonly ages: readonly (number | null)[];
}

const SERIES = Object.keys(CANDIDATES).length;

/** Holds each answer against the one state of the data that its header names. */
export class Judge {
  readonly editions = new Map<string, Edition>();
  /** By version and file, what the answers with that header were of. */
  private readonly seen = new Map<string, string>();

  bulk(release: string, body: string): Verdict {
    const known = this.editions.get(release)?.bulk;
    if (body === known) return 'whole';
    return known !== undefined && body.length < known.length / 2 ? 'short' : 'mixed';
  }

  /** Each candidate has, up to the n-th day, n times as many donors as come in a day. */
  cumulative(version: string, csv: string): Verdict {
    const rows = cellsOf(csv);
    if (rows.length < SERIES * DAYS.length) return 'short';
    const aDay = rows.map(([, , day, donors]) => Number(donors) / (DAYS.indexOf(day) + 1));
    return this.isOne(version, 'donors', [...new Set(aDay)]);
  }

  /** Each committee has the same donors, all of the age that one edition gives them. */
  ages(version: string, csv: string): Verdict {
    const byCommittee = new Map<string, Map<string, number>>();
    for (const [, committee, age, donors] of cellsOf(csv)) {
      const ages = byCommittee.get(committee) ?? new Map<string, number>();
      byCommittee.set(committee, ages.set(age, Number(donors)));
    }
    if (byCommittee.size < SERIES) return 'short';
    const states = [...byCommittee.values()].map((ages) => this.stateOf(ages));
    const donors = this.isOne(
      version,
      'donors',
      states.map(({ aDay }) => aDay),
    );
    return donors === 'whole'
      ? this.isOne(
          version,
          'edition',
          states.map(({ release }) => release),
        )
      : donors;
  }

  /** Which edition the ages are of, and how many donors there are in a day; `none` where they fit no single one. */
  stateOf(ages: ReadonlyMap<string, number>): { readonly release: string; readonly aDay: number } {
    const aDay = [...ages.values()].reduce((sum, donors) => sum + donors, 0) / DAYS.length;
    for (const [release, edition] of this.editions) {
      const expected = new Map<string, number>();
      for (const age of edition.ages) expected.set(String(age), (expected.get(String(age)) ?? 0) + aDay);
      if (expected.size === ages.size && [...expected].every(([age, donors]) => ages.get(age) === donors))
        return { release, aDay };
    }
    return { release: 'none', aDay };
  }

  private isOne(version: string, what: string, found: readonly (number | string)[]): Verdict {
    const [first] = found;
    if (found.some((one) => one !== first) || first === 'none' || (typeof first === 'number' && first % 1 !== 0))
      return 'mixed';
    const key = `${version} ${what}`;
    const before = this.seen.get(key) ?? this.seen.set(key, String(first)).get(key);
    return before === String(first) ? 'whole' : 'mixed';
  }
}

export const cellsOf = (csv: string): string[][] =>
  csv
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split(','));
