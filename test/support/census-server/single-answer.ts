import { type Address, type StandardAddress, fromWritten, standardAddress } from './address';
import { type Benchmark, type Vintage } from './settings';
import { type Spot, stateOf } from './spot';
import { countiesOf } from './states';
import { drawsOf } from './draws';
import { type Truth } from './truth';

export interface SingleContent {
  readonly address: Address;
  readonly benchmark: Benchmark;
  /** Null for locations, which have no geographies. */
  readonly vintage: Vintage | null;
  readonly truth: Truth;
  readonly withLayerError: boolean;
}

type Row = Readonly<Record<string, string | number>>;
type Layer = readonly Row[];

/** The answer to a single lookup. */
export function singleAnswer({ address, benchmark, vintage, truth, withLayerError }: SingleContent): object {
  const spots = truth.outcome === 'MATCH' ? [truth] : truth.outcome === 'TIE' ? truth.candidates : [];
  return {
    result: {
      input: { address, benchmark, ...(vintage ? { vintage } : {}) },
      addressMatches: spots.map((spot) => ({
        tigerLine: { tigerLineId: spot.tigerLineId, side: spot.side },
        ...(vintage ? { geographies: geographiesOf(spot, vintage.vintageName, withLayerError) } : {}),
        matchedAddress: spot.matchedAddress,
        coordinates: { x: Number(spot.lon), y: Number(spot.lat) },
        addressComponents: componentsOf(standardAddress(fromWritten(spot.matchedAddress))),
      })),
    },
  };
}

function componentsOf(address: StandardAddress): Record<string, string> {
  const first = Math.floor((Number.parseInt(address.number, 10) || 0) / 100) * 100;
  return {
    zip: address.zip,
    city: address.city,
    state: address.state,
    preDirection: address.preDirection,
    preType: '',
    streetName: address.name,
    suffixType: address.suffix,
    suffixDirection: address.suffixDirection,
    suffixQualifier: '',
    fromAddress: String(first),
    toAddress: String(first + 98),
    preQualifier: '',
  };
}

/** A layer that failed has an error in place of its rows, in a 200 answer. */
const LAYER_ERROR: Layer = [
  { status: 'Layer query encountered an error: java.lang.RuntimeException: Failed to return' },
];

/** Counties, tracts, blocks and states; the name of the block layer depends on the vintage. */
function geographiesOf(spot: Spot, vintage: string, withLayerError: boolean): Record<string, Layer> {
  const blocks = blockLayer(vintage);
  if (spot.fips === null) return { States: [] };
  return {
    Counties: withLayerError ? LAYER_ERROR : [countyOf(spot, spot.fips, vintage)],
    'Census Tracts': spot.tract ? [tractOf(spot, spot.fips, spot.tract, vintage)] : [],
    [blocks]: spot.tract && spot.block ? [blockOf(spot, spot.fips, spot.tract, spot.block, vintage)] : [],
    States: [statesRow(spot, vintage)],
  };
}

const blockLayer = (vintage: string): string =>
  vintage.startsWith('Census2010') ? '2010 Census Blocks' : 'Census Blocks';

/** Fields of every layer; vintages of the 2020 Census also have counts of people and housing units. */
function common(spot: Spot, geoid: string, basename: string, vintage: string): Row {
  const [oid, land, water, homes, object] = drawsOf(geoid).map((draw) => Math.floor(draw * 1e6));
  const point = { lon: padded(spot.lon, 3), lat: padded(spot.lat, 2) };
  const counts: Row = vintage.startsWith('Census2020') ? { UR: '', HU100: homes, POP100: 2 * homes } : {};
  return {
    OID: 2e13 + oid,
    STATE: geoid.slice(0, 2),
    AREALAND: land,
    AREAWATER: water,
    BASENAME: basename,
    GEOID: geoid,
    CENTLON: point.lon,
    CENTLAT: point.lat,
    INTPTLON: point.lon,
    INTPTLAT: point.lat,
    OBJECTID: object,
    ...counts,
  };
}

/** Degrees as the layers write them: `-077.0387315`, `+38.8975764`. */
function padded(degrees: string, digits: number): string {
  const value = Number(degrees);
  return (
    (value < 0 ? '-' : '+') +
    Math.abs(value)
      .toFixed(7)
      .padStart(digits + 8, '0')
  );
}

function countyOf(spot: Spot, fips: string, vintage: string): Row {
  const counties = countiesOf(stateOf(spot.matchedAddress), vintage);
  const name = counties.find(({ code }) => code === fips.slice(2))?.name ?? 'Another County';
  return {
    ...common(spot, fips, name.replace(/ (County|Parish|Borough|Municipio|Municipality|city)$/, ''), vintage),
    NAME: name,
    COUNTY: fips.slice(2),
    COUNTYCC: 'H1',
    COUNTYNS: '00974143',
    FUNCSTAT: 'A',
    LSADC: '06',
    MTFCC: 'G4020',
  };
}

function tractOf(spot: Spot, fips: string, tract: string, vintage: string): Row {
  const part = tract.slice(4);
  const basename = `${Number(tract.slice(0, 4))}${part === '00' ? '' : `.${part}`}`;
  return {
    ...common(spot, fips + tract, basename, vintage),
    NAME: `Census Tract ${basename}`,
    COUNTY: fips.slice(2),
    TRACT: tract,
    FUNCSTAT: 'S',
    LSADC: 'CT',
    MTFCC: 'G5020',
  };
}

function blockOf(spot: Spot, fips: string, tract: string, block: string, vintage: string): Row {
  return {
    ...common(spot, fips + tract + block, block, vintage),
    NAME: `Block ${block}`,
    COUNTY: fips.slice(2),
    TRACT: tract,
    BLOCK: block,
    BLKGRP: block.slice(0, 1),
    SUFFIX: '',
    LWBLKTYP: 'L',
    FUNCSTAT: 'S',
    LSADC: 'BK',
    MTFCC: 'G5040',
  };
}

function statesRow(spot: Spot, vintage: string): Row {
  const { fips, name, usps } = stateOf(spot.matchedAddress);
  return {
    ...common(spot, fips, name, vintage),
    NAME: name,
    STUSAB: usps,
    DIVISION: '5',
    REGION: '3',
    STATENS: '01702382',
    FUNCSTAT: 'A',
    LSADC: '00',
    MTFCC: 'G4000',
  };
}
