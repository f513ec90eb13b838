import { type BirthTable, birthsOf } from './birth-table';
import { FEMALE, type Gender, MALE } from './sex';

const [NOT_ASKED, MORE_MALES, MORE_FEMALES, EQUAL] = [0, 1, 2, 3];

/** Gender of names by all births of the edition, counted once a name, when it is first asked. */
export class GendersByBirths {
  private readonly known: Uint8Array;

  constructor(private readonly births: BirthTable) {
    this.known = new Uint8Array(births.names.size);
  }

  /** The sex with more births; undefined where they are equal. */
  of(name: number): Gender | undefined {
    if (this.known[name] === NOT_ASKED) this.known[name] = this.count(name);
    if (this.known[name] === EQUAL) return undefined;
    return this.known[name] === MORE_MALES ? 'm' : 'f';
  }

  private count(name: number): number {
    const males = birthsOf(this.births, name, MALE);
    const females = birthsOf(this.births, name, FEMALE);
    if (males === females) return EQUAL;
    return males > females ? MORE_MALES : MORE_FEMALES;
  }
}
