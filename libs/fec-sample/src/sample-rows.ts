import { type CivilDay } from '@donorlens/primitives';
import { type ItcontRow, giftRow } from './itcont-row';
import { type Random, campaignDay, filedDate, oddDate, seedOf } from './random';
import {
  CAMPAIGN_COMMITTEES,
  CONDUIT,
  JOINT_FUNDRAISER,
  OTHER_COMMITTEES,
  type SampleCommittee,
} from './sample-committees';
import { type SamplePerson, samplePerson, youthOf } from './sample-person';

const AMOUNTS = [25, 10, 50, 5, 100, 27, 250, 15, 500, 1000, 200, 2800] as const;
/** Probability of each kind of gift; all others are direct gifts. */
const KINDS: readonly (readonly [chance: number, kind: Kind])[] = [
  [0.2, 'earmarked'],
  [0.1, 'small earmarked'],
  [0.06, 'joint'],
  [0.08, 'elsewhere'],
  [0.02, 'refund'],
  [0.01, 'reattributed'],
  [0.005, 'zero'],
  [0.01, 'organization'],
];
/** Address of the conduit. */
const CONDUIT_OFFICE = {
  ...samplePerson(0, 0),
  city: 'SOMERVILLE',
  state: 'MA',
  zip: '021440000',
  employer: '',
  occupation: '',
};

type Kind =
  | 'direct'
  | 'earmarked'
  | 'small earmarked'
  | 'joint'
  | 'elsewhere'
  | 'refund'
  | 'reattributed'
  | 'zero'
  | 'organization';

/** Makes up the gifts of a cycle, one after the other, each with all the rows that the FEC's file has of it. */
export class SampleRows {
  private last: { readonly committee: SampleCommittee; readonly person: SamplePerson; readonly cents: number } | null =
    null;

  /** @param people how many different donors there are */
  constructor(
    private readonly cycle: number,
    private readonly seed: number,
    private readonly people: number,
    private readonly random: Random,
  ) {}

  next(): ItcontRow[] {
    const { random, cycle } = this;
    const number = Math.floor(random.next() ** 1.5 * this.people); // some give again and again
    const person = samplePerson(this.seed, number);
    const committee = this.committeeOf(number, person);
    const day = campaignDay(cycle, random);
    const date = random.isDrawn(0.004) ? oddDate(cycle, random) : filedDate(day);
    const cents = random.pickEarly(AMOUNTS) * 100 + (random.isDrawn(0.02) ? 50 : 0);
    const rows = this.rowsOf(this.kind(), committee, person, date, cents, day);
    this.last = { committee, person, cents };
    return rows;
  }

  private kind(): Kind {
    let chance = this.random.next();
    for (const [share, kind] of KINDS) if ((chance -= share) < 0) return kind;
    return 'direct';
  }

  /** Most people give to one candidate, which depends on their age. */
  private committeeOf(number: number, person: SamplePerson): SampleCommittee {
    const draw = this.random.isDrawn(0.06) ? this.random.next() : (seedOf(this.seed, number, 7) >>> 0) / 4_294_967_296;
    const youth = youthOf(person);
    const weightOf = ({ share, lean }: SampleCommittee): number => share * (1 + lean * youth);
    let left = draw * CAMPAIGN_COMMITTEES.reduce((sum, committee) => sum + weightOf(committee), 0);
    return CAMPAIGN_COMMITTEES.find((committee) => (left -= weightOf(committee)) < 0) ?? CAMPAIGN_COMMITTEES[0];
  }

  private rowsOf(
    kind: Kind,
    { id, name }: SampleCommittee,
    person: SamplePerson,
    date: string,
    cents: number,
    day: CivilDay,
  ): ItcontRow[] {
    const { random } = this;
    const gift = (committeeId: string, amount: number, changed?: Partial<ItcontRow>): ItcontRow =>
      giftRow(committeeId, person, date, dollars(amount), random, changed);
    switch (kind) {
      case 'earmarked':
        return this.earmarked(id, name, person, date, day, cents);
      case 'small earmarked': // below the committee's limit for itemizing: only the conduit reports it
        return [gift(CONDUIT.id, Math.min(cents, 19_000), passedOn(id, name))];
      case 'joint':
        return [
          gift(JOINT_FUNDRAISER.id, cents),
          gift(id, cents, { type: '15J', memoCode: 'X', memoText: `* ${JOINT_FUNDRAISER.name}` }),
        ];
      case 'elsewhere':
        return [gift(random.pick(OTHER_COMMITTEES).id, cents)];
      case 'refund':
        return this.refund(date);
      case 'reattributed': // to the spouse
        return [
          gift(id, -cents, { memoText: 'REATTRIBUTION TO SPOUSE' }),
          giftRow(id, { ...person, first: 'PAT' }, date, dollars(cents), random, {
            memoText: 'REATTRIBUTION FROM SPOUSE',
          }),
        ];
      case 'zero':
        return [gift(id, 0)];
      case 'organization':
        return [gift(id, cents, { entity: random.pick(['ORG', 'PAC', 'COM', '']), name: 'ACORN & OAK LLC' })];
      case 'direct':
        return [gift(id, cents)];
    }
  }

  /** At the committee the gift and a memo item of the conduit, at the conduit the gift passed on, some days earlier. */
  private earmarked(
    id: string,
    name: string,
    person: SamplePerson,
    date: string,
    day: CivilDay,
    cents: number,
  ): ItcontRow[] {
    const { random } = this;
    const amount = dollars(cents);
    const memo = { entity: 'PAC', name: CONDUIT.name, person: CONDUIT_OFFICE, otherId: CONDUIT.id, memoCode: 'X' };
    return [
      giftRow(id, person, date, amount, random, { type: '15E', memoText: '* EARMARKED CONTRIBUTION: SEE BELOW' }),
      giftRow(id, person, date, amount, random, {
        ...memo,
        memoText: 'NOTE: ABOVE CONTRIBUTION EARMARKED THROUGH THIS ORGANIZATION.',
      }),
      giftRow(CONDUIT.id, person, filedDate(day - random.integerBelow(8)), amount, random, passedOn(id, name)),
    ];
  }

  /** Refund of the last gift. */
  private refund(date: string): ItcontRow[] {
    if (this.last === null) return [];
    const { committee, person, cents } = this.last;
    return [giftRow(committee.id, person, date, dollars(cents), this.random, { type: '22Y', memoText: 'REFUND' })];
  }
}

const passedOn = (id: string, name: string): Partial<ItcontRow> => ({
  type: '24T',
  otherId: id,
  memoText: `EARMARKED FOR ${name} (${id})`,
});

/** Whole dollars without cents, as in most bulk files. */
const dollars = (cents: number): string => (cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2));
