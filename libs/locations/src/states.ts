import { folded } from './folded-text';

/**
 * Postal codes of the states, of DC, and of the territories that have counties of their own: their addresses are
 * domestic.
 */
const CODES: Readonly<Record<string, string>> = {
  ALABAMA: 'AL',
  ALASKA: 'AK',
  ARIZONA: 'AZ',
  ARKANSAS: 'AR',
  CALIFORNIA: 'CA',
  COLORADO: 'CO',
  CONNECTICUT: 'CT',
  DELAWARE: 'DE',
  'DISTRICT OF COLUMBIA': 'DC',
  FLORIDA: 'FL',
  GEORGIA: 'GA',
  HAWAII: 'HI',
  IDAHO: 'ID',
  ILLINOIS: 'IL',
  INDIANA: 'IN',
  IOWA: 'IA',
  KANSAS: 'KS',
  KENTUCKY: 'KY',
  LOUISIANA: 'LA',
  MAINE: 'ME',
  MARYLAND: 'MD',
  MASSACHUSETTS: 'MA',
  MICHIGAN: 'MI',
  MINNESOTA: 'MN',
  MISSISSIPPI: 'MS',
  MISSOURI: 'MO',
  MONTANA: 'MT',
  NEBRASKA: 'NE',
  NEVADA: 'NV',
  'NEW HAMPSHIRE': 'NH',
  'NEW JERSEY': 'NJ',
  'NEW MEXICO': 'NM',
  'NEW YORK': 'NY',
  'NORTH CAROLINA': 'NC',
  'NORTH DAKOTA': 'ND',
  OHIO: 'OH',
  OKLAHOMA: 'OK',
  OREGON: 'OR',
  PENNSYLVANIA: 'PA',
  'RHODE ISLAND': 'RI',
  'SOUTH CAROLINA': 'SC',
  'SOUTH DAKOTA': 'SD',
  TENNESSEE: 'TN',
  TEXAS: 'TX',
  UTAH: 'UT',
  VERMONT: 'VT',
  VIRGINIA: 'VA',
  WASHINGTON: 'WA',
  'WEST VIRGINIA': 'WV',
  WISCONSIN: 'WI',
  WYOMING: 'WY',
  'AMERICAN SAMOA': 'AS',
  GUAM: 'GU',
  'NORTHERN MARIANA ISLANDS': 'MP',
  'PUERTO RICO': 'PR',
  'VIRGIN ISLANDS': 'VI',
};
/** Abbreviations from before the postal codes, and other names. */
const ALSO: Readonly<Record<string, string>> = {
  ...{ ALA: 'AL', ARIZ: 'AZ', ARK: 'AR', CALIF: 'CA', CAL: 'CA', COLO: 'CO', CONN: 'CT', DEL: 'DE', FLA: 'FL' },
  ...{ ILL: 'IL', IND: 'IN', KAN: 'KS', KANS: 'KS', MASS: 'MA', MICH: 'MI', MINN: 'MN', MISS: 'MS', MONT: 'MT' },
  ...{ NEB: 'NE', NEBR: 'NE', NEV: 'NV', OKLA: 'OK', ORE: 'OR', OREG: 'OR', PENN: 'PA', PENNA: 'PA', TENN: 'TN' },
  ...{ TEX: 'TX', WASH: 'WA', WIS: 'WI', WISC: 'WI', WYO: 'WY', 'W VA': 'WV', 'N MEX': 'NM' },
  ...{ 'N CAROLINA': 'NC', 'S CAROLINA': 'SC', 'N DAKOTA': 'ND', 'S DAKOTA': 'SD' },
  'WASHINGTON DC': 'DC',
  'US VIRGIN ISLANDS': 'VI',
  'U S VIRGIN ISLANDS': 'VI',
};

export interface State {
  /** The postal code, or the text of the field. */
  readonly text: string;
  readonly isDomestic: boolean;
}

const STATES: ReadonlyMap<string, State> = new Map([
  ['', { text: '', isDomestic: false }], // as of most rows with a ZIP only
  ...[...Object.entries(CODES), ...Object.entries(ALSO)].flatMap(([name, code]): [string, State][] => {
    const state = { text: code, isDomestic: true };
    return [
      [name, state],
      [code, state],
    ];
  }),
]);

const COUNTRY = /(?:^| )(?:USA|U S A|US|U S|UNITED STATES)$/;
const TWO_LETTERS = /^([A-Z]) ([A-Z])$/;

/** @param state - as filed; most fields hold a postal code, which needs no folding */
export const parseState = (state: string): State => STATES.get(state) ?? parseFoldedState(folded(state));

/** @param state - folded postal code or name, with or without the country */
export function parseFoldedState(state: string): State {
  const known = STATES.get(state);
  if (known) return known;
  const name = state.replace(COUNTRY, '').replace(TWO_LETTERS, '$1$2');
  return STATES.get(name) ?? { text: name, isDomestic: false };
}
