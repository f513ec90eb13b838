import { type CallResults, CallRepository, type ClaimedCall, type StoredLocation } from '@donorlens/geocoding';
import { type AddressLife, keyOf, outcomeOf } from './address-life';

const OPTIONS = { callRows: 4, callsAtOnce: 3, callsPerMinute: 60_000, retryDays: 30 };
/** More than any number of addresses of a test needs. */
const MAX_ROUNDS = 50;

/** Takes calls for the synthetic addresses below a number through the states set by workers and aggregator. */
export class CallLife {
  /** Calls that are claimed and not answered yet. */
  readonly out: ClaimedCall[] = [];
  private readonly calls: CallRepository;
  private readonly numbers: ReadonlyMap<string, number>;

  constructor(
    private readonly life: AddressLife,
    addresses: number,
  ) {
    this.calls = new CallRepository(life.pool, OPTIONS);
    const numbers = Array.from({ length: addresses }, (_, n) => n);
    this.numbers = new Map(numbers.map((n) => [keyOf(n).toString('latin1'), n]));
  }

  /** Forms calls from waiting addresses. */
  gather(): Promise<number> {
    return this.calls.formCalls();
  }

  /** Lets time pass and claims all calls that may be claimed. No other process may change calls meanwhile. */
  async sendOut(): Promise<void> {
    await this.life.pool.query(`update geocode_address set asked_at = asked_at - interval '2 s'`);
    await this.life.pool.query(`update geocode_call set not_before = null`);
    for (const id of await this.calls.findDue(100)) {
      const claim = await this.calls.claim(id);
      if (claim !== null && 'call' in claim) this.out.push(claim.call);
    }
  }

  /** @param leftOut - addresses that the answer does not contain */
  async answer(call: ClaimedCall, leftOut: readonly number[] = []): Promise<void> {
    const isStored = await this.calls.commit(call, this.resultsOf(call, leftOut), (client, geocoded) =>
      this.life.applyOutcomes(client, geocoded),
    );
    expect(isStored).toBe(true);
  }

  /** Answers calls until no address is left. */
  async answerAll(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const call of this.out.splice(0)) await this.answer(call);
      if ((await this.life.asked()).asked === 0) return;
      await this.gather();
      await this.sendOut();
    }
    throw new Error('addresses are left that no call carries');
  }

  /** A batch call only reports that an address is a tie; the tie call for its candidates geocodes it. */
  private resultsOf({ kind, addresses }: ClaimedCall, leftOut: readonly number[]): CallResults {
    const geocoded: StoredLocation[] = [];
    const ties: Buffer[] = [];
    for (const { key } of addresses) {
      const n = this.numbers.get(key.toString('latin1'))!;
      if (leftOut.includes(n)) continue;
      const outcome = outcomeOf(n);
      if (kind === 'batch' && outcome === 'TIE') ties.push(key);
      else geocoded.push({ key, outcome, ...(outcome === 'MATCH' ? PLACE : NOWHERE) });
    }
    return { geocoded, ties, unanswered: new Map() };
  }
}

const NOWHERE = { isExact: null, fips: null, tract: null, block: null, addressId: null };
const PLACE = { isExact: true, fips: '51600', tract: '300100', block: '2004', addressId: '00'.repeat(16) };
