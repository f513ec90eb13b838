import { CANDIDATES, DAYS } from '../../../test/support/reference-data/data-folders';

export type Verdict = 'whole' | 'short' | 'mixed';

/** Answers of one edition of the reference data, recorded while no refresh runs. */
export interface Edition {
  readonly bulk: string;
  /** Ages for the first name of the donors, by day of the contributions. */
  readonly ages: readonly (number | null)[];
}

const SERIES = Object.keys(CANDIDATES).length;

/** Compares each answer with the version that its header names. */
export class RefreshJudge {
  readonly editions = new Map<string, Edition>();
  /** Values in earlier answers of a version, by version and property. */
  private readonly seen = new Map<string, string>();

  bulk(release: string, body: string): Verdict {
    const known = this.editions.get(release)?.bulk;
    if (body === known) return 'whole';
    return known !== undefined && body.length < known.length / 2 ? 'short' : 'mixed';
  }

  /** Up to the n-th day, each candidate has n times the donors of one day. */
  cumulative(version: string, csv: string): Verdict {
    const rows = cellsOf(csv);
    if (rows.length < SERIES * DAYS.length) return 'short';
    const donorsPerDay = rows.map(([, , day, donors]) => Number(donors) / (DAYS.indexOf(day) + 1));
    return this.isOne(version, 'donors', [...new Set(donorsPerDay)]);
  }

  /** All committees have the same number of donors, with the ages of one edition. */
  ages(version: string, csv: string): Verdict {
    const byCommittee = new Map<string, Map<string, number>>();
    for (const [, committee, age, donors] of cellsOf(csv)) {
      const ages = byCommittee.get(committee) ?? new Map<string, number>();
      byCommittee.set(committee, ages.set(age, Number(donors)));
    }
    if (byCommittee.size < SERIES) return 'short';
    const states = [...byCommittee.values()].map((ages) => this.stateOf(ages));
    const donorsPerDay = states.map((state) => state.donorsPerDay);
    const releases = states.map(({ release }) => release);
    const donors = this.isOne(version, 'donors', donorsPerDay);
    return donors === 'whole' ? this.isOne(version, 'edition', releases) : donors;
  }

  /** The edition that matches the ages (`none` if no edition matches), and the number of donors per day. */
  stateOf(ages: ReadonlyMap<string, number>): { readonly release: string; readonly donorsPerDay: number } {
    const donorsPerDay = [...ages.values()].reduce((sum, donors) => sum + donors, 0) / DAYS.length;
    for (const [release, edition] of this.editions) {
      const expected = new Map<string, number>();
      for (const age of edition.ages) expected.set(String(age), (expected.get(String(age)) ?? 0) + donorsPerDay);
      if (expected.size === ages.size && [...expected].every(([age, donors]) => ages.get(age) === donors))
        return { release, donorsPerDay };
    }
    return { release: 'none', donorsPerDay };
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
