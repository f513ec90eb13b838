import { fromWritten } from './address';
import { drawsOf, pick } from './draws';
import { STATES, type State, countiesOf } from './states';

/** The location of a matched address. */
export interface Spot {
  readonly matchedAddress: string;
  /** Five digits; null if the service returns no geographies. */
  readonly fips: string | null;
  /** Six digits. */
  readonly tract: string | null;
  /** Four digits. */
  readonly block: string | null;
  /** Degrees, with as many decimals as the service writes. */
  readonly lon: string;
  readonly lat: string;
  readonly tigerLineId: string;
  readonly side: 'L' | 'R';
}

/** Default vintage. */
export const USUAL_VINTAGE = 'Census2020_Current';

/**
 * The synthetic location of a matched address: constant, and in its state. Blocks of 2010 differ from those of 2020.
 * @param countyStep - moves the location this many counties further
 * @throws Error if the address has no state
 */
export function spotOf(matchedAddress: string, vintage: string, countyStep = 0): Spot {
  const state = stateOf(matchedAddress);
  const counties = countiesOf(state, vintage);
  const [countyDraw, east, north, line] = drawsOf(matchedAddress) as [number, number, number, number];
  const [tract, part, block, group] = drawsOf(`${matchedAddress} ${/^Census2010/.test(vintage) ? 2010 : 2020}`);
  const county = counties[(Math.floor(countyDraw * counties.length) + countyStep) % counties.length];
  return {
    matchedAddress,
    fips: state.fips + county.code,
    tract: digits(4, 1 + tract * 9800) + pick(['00', '00', '01', '02'], part),
    block: digits(4, 1000 * (1 + Math.floor(group * 4)) + block * 60),
    lon: (state.lon + east - 0.5).toFixed(6),
    lat: (state.lat + north - 0.5).toFixed(6),
    tigerLineId: digits(8, 1e7 + line * 8e7),
    side: line < 0.5 ? 'L' : 'R',
  };
}

const BY_CODE = new Map(STATES.map((state) => [state.usps, state]));

const digits = (length: number, value: number): string => String(Math.floor(value)).padStart(length, '0');

export function stateOf(matchedAddress: string): State {
  const { state } = fromWritten(matchedAddress);
  const found = BY_CODE.get(state);
  if (!found) throw new Error('a matched address ends with its city, state and ZIP code');
  return found;
}
