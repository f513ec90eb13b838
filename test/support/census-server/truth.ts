import { type Address, type StandardAddress, canonical, isLocatable, standardAddress, writtenOut } from './address';
import { drawsOf } from './draws';
import { type RecordedAnswers, type RecordedOutcome } from './recording';
import { type Spot, USUAL_VINTAGE, spotOf } from './spot';

/** The outcome of an address, the same in every run. */
export type Truth =
  | { readonly outcome: 'NO_MATCH' }
  | ({ readonly outcome: 'MATCH'; readonly isExact: boolean } & Spot)
  | { readonly outcome: 'TIE'; readonly candidates: readonly Spot[] };

/** An outcome set by a test; omitted parts are synthetic. `candidates: []` also returns none in a single lookup. */
export type Planted =
  | { readonly outcome: 'NO_MATCH' }
  | ({ readonly outcome: 'MATCH'; readonly isExact?: boolean } & Partial<Spot>)
  | { readonly outcome: 'TIE'; readonly candidates?: readonly Partial<Spot>[] };

/** Shares of the recorded answers for 2,000 addresses. */
const EXACT = 0.511;
const NON_EXACT = 0.184;
const TIE = 0.039;

/** Returns outcomes: those set by a test, then recorded ones, then synthetic ones, which are the same in every run. */
export class Truths {
  private readonly planted = new Map<string, Planted>();

  constructor(private readonly recorded: RecordedAnswers | null) {}

  /** @throws Error if the outcome cannot be completed because the state is missing */
  plant(address: Address, outcome: Planted): void {
    this.planted.set(canonical(address), outcome);
    this.of(address);
  }

  of(address: Address, vintage = USUAL_VINTAGE): Truth {
    const standard = standardAddress(address);
    const planted = this.planted.get(writtenOut(standard));
    if (planted) return plantedTruth(planted, standard, vintage);
    const recorded = this.recorded?.find(address);
    if (recorded) return recordedTruth(recorded, standard, vintage);
    return isLocatable(standard) ? syntheticTruth(standard, vintage) : { outcome: 'NO_MATCH' };
  }
}

function syntheticTruth(address: StandardAddress, vintage: string): Truth {
  const [draw] = drawsOf(`outcome ${writtenOut(address)}`) as [number];
  if (draw < EXACT) return { outcome: 'MATCH', isExact: true, ...spotOf(writtenOut(address), vintage) };
  if (draw < EXACT + NON_EXACT)
    return { outcome: 'MATCH', isExact: false, ...spotOf(writtenOut(otherDirection(address)), vintage) };
  if (draw < EXACT + NON_EXACT + TIE) return tie(address, vintage);
  return { outcome: 'NO_MATCH' };
}

/** An inexact match is on the other end of the street: 1520 S Division St for 1520 N Division St. */
const otherDirection = (address: StandardAddress): StandardAddress => ({
  ...address,
  preDirection: address.preDirection === 'S' ? 'N' : 'S',
});

/** Two candidates: in one county for half of the addresses, otherwise in two counties, if the state has two. */
function tie(address: StandardAddress, vintage: string): Truth {
  const [draw] = drawsOf(`tie ${writtenOut(address)}`) as [number];
  const [east, west] = ['E', 'W'].map((preDirection) => spotOf(writtenOut({ ...address, preDirection }), vintage));
  const isSame = draw < 0.5;
  for (let step = 0; step < 3; step++) {
    const other = spotOf(west.matchedAddress, vintage, step);
    if ((other.fips === east.fips) === isSame) return { outcome: 'TIE', candidates: [east, other] };
  }
  return { outcome: 'TIE', candidates: [east, west] };
}

function recordedTruth(recorded: RecordedOutcome, address: StandardAddress, vintage: string): Truth {
  if (recorded.outcome === 'TIE') return tie(address, vintage);
  if (recorded.outcome === 'NO_MATCH') return recorded;
  return { ...spotOf(recorded.matchedAddress, vintage), ...recorded };
}

function plantedTruth(planted: Planted, address: StandardAddress, vintage: string): Truth {
  const complete = (spot: Partial<Spot>): Spot => ({
    ...spotOf(spot.matchedAddress ?? writtenOut(address), vintage),
    ...spot,
  });
  if (planted.outcome === 'MATCH') return { isExact: true, ...planted, ...complete(planted), outcome: 'MATCH' };
  if (planted.outcome === 'NO_MATCH') return planted;
  return planted.candidates ? { outcome: 'TIE', candidates: planted.candidates.map(complete) } : tie(address, vintage);
}
