import { type VNode } from 'preact';
import { count, percent } from '../layout/labels';
import { Picture, tenth } from '../layout/picture';

/** Donors of one state. */
export interface StateShare {
  /** two letters; null: not filed */
  readonly code: string | null;
  readonly donors: number;
  /** of the donors whose state is filed; 0 to 1 */
  readonly share: number;
}

/** One square for each state, near its position. Squares are equal: the area of a state says little about donors. */
const GRID = [
  'AK -- -- -- -- -- -- -- -- -- ME',
  '-- -- -- -- -- -- -- -- -- VT NH',
  'WA ID MT ND MN IL WI MI NY RI MA',
  'OR NV WY SD IA IN OH PA NJ CT --',
  'CA UT CO NE MO KY WV VA MD DE --',
  '-- AZ NM KS AR TN NC SC DC -- --',
  '-- -- -- OK LA MS AL GA -- -- --',
  'HI -- -- TX -- -- -- -- FL -- PR',
].map((row) => row.split(' '));

const NAMES = new Map(
  `AK Alaska,AL Alabama,AR Arkansas,AZ Arizona,CA California,CO Colorado,CT Connecticut,DC Washington DC,DE Delaware,
FL Florida,GA Georgia,HI Hawaii,IA Iowa,ID Idaho,IL Illinois,IN Indiana,KS Kansas,KY Kentucky,LA Louisiana,
MA Massachusetts,MD Maryland,ME Maine,MI Michigan,MN Minnesota,MO Missouri,MS Mississippi,MT Montana,NC North Carolina,
ND North Dakota,NE Nebraska,NH New Hampshire,NJ New Jersey,NM New Mexico,NV Nevada,NY New York,OH Ohio,OK Oklahoma,
OR Oregon,PA Pennsylvania,PR Puerto Rico,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,
UT Utah,VA Virginia,VT Vermont,WA Washington,WI Wisconsin,WV West Virginia,WY Wyoming,
AS American Samoa,GU Guam,MP Northern Mariana Islands,VI US Virgin Islands,ZZ Abroad,
AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific`
    .split(/,\s*/)
    .map((entry) => [entry.slice(0, 2), entry.slice(3)]),
);

/** `California`; an unknown code stays as it is. */
export const stateName = (code: string): string => NAMES.get(code) ?? code;

/** Lower ends of the shades, the same on every map, so that maps can be compared. */
const SHADES = [0, 0.01, 0.02, 0.05, 0.1];
/** Explains the shades in a caption. */
export const SHADES_TEXT = `Shades: under 1%, and from ${SHADES.slice(1, -1).map(percent).join(', ')} and ${percent(SHADES.at(-1)!)}.`;
const TILE = 32;
const GAP = 2;
const SIZE = { width: GRID[0].length * TILE + 8, height: GRID.length * TILE };

interface StateMapProps {
  readonly id: string;
  readonly title: string;
  /** most donors first */
  readonly states: readonly StateShare[];
}

/** Shares of donors by state as a tile map. */
export function StateMap({ id, title, states }: StateMapProps): VNode {
  const shares = new Map(states.map(({ code, share }) => [code, share]));
  const known = states.filter(({ code }) => code !== null).slice(0, 5);
  const description = known.map(({ code, share }) => `${stateName(code!)} ${percent(share)}`).join(', ');
  return (
    <Picture id={id} title={title} description={`${description}.`} class="chart tiles" size={SIZE}>
      {GRID.flatMap((row, y) =>
        row.map((code, x) => code !== '--' && <Tile code={code} x={x} y={y} share={shares.get(code) ?? 0} />),
      )}
    </Picture>
  );
}

interface TileProps {
  readonly code: string;
  readonly x: number;
  readonly y: number;
  readonly share: number;
}

function Tile({ code, x, y, share }: TileProps): VNode {
  const [left, top] = [x * TILE + 4, y * TILE];
  const shade = share === 0 ? 'none' : SHADES.findLastIndex((from) => share >= from);
  return (
    <g>
      <rect class={`shade-${shade}`} x={left} y={top} width={TILE - GAP} height={TILE - GAP} rx="2" />
      <text class="name" x={tenth(left + (TILE - GAP) / 2)} y={top + 13} text-anchor="middle">
        {code}
      </text>
      {share >= 0.005 && (
        <text class="share" x={tenth(left + (TILE - GAP) / 2)} y={top + 25} text-anchor="middle">
          {Math.round(share * 100)}%
        </text>
      )}
    </g>
  );
}

/** All states as a table, including those without a figure on the map. */
export const StateTable = ({ states }: Pick<StateMapProps, 'states'>): VNode => (
  <details>
    <summary>All states</summary>
    <div class="scroll" tabIndex={0} role="region" aria-label="Donors by state">
      <table>
        <thead>
          <tr>
            {['State', 'Donors', 'Share'].map((label) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {states.map(({ code, donors, share }) => (
            <tr>
              <th scope="row">{code === null ? 'Unknown' : stateName(code)}</th>
              <td>{count(donors)}</td>
              <td>{code !== null && percent(share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
