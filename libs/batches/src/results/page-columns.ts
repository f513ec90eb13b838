import { GEOCODE_OUTCOMES, type GeocodeStatus } from '@donorlens/primitives';

/** What a page says of a row's address, as an index: outcomes as they are stored, then where there is none. */
export const PAGE_STATUSES: readonly GeocodeStatus[] = [...GEOCODE_OUTCOMES, 'SKIPPED', 'PENDING'];

/** What is stored of a row. */
const STORED = [
  'row_no',
  'outcome',
  'error_code',
  'source',
  'age',
  'gender',
  'race',
  'pct_white',
  'pct_black',
  'pct_api',
  'pct_aian',
  'pct_2prace',
  'pct_hispanic',
] as const;

/** Where its address is, as far as that is known while the page is read; the county may be known without a location. */
const PLACE = {
  fips: 'coalesce(l.fips, r.fips)',
  tract: 'l.tract',
  block: 'l.block',
  address_id: `encode(l.address_id, 'hex')`,
  status: `coalesce(l.outcome, case when r.address_key is null then ${PAGE_STATUSES.indexOf('SKIPPED')}
                                    else ${PAGE_STATUSES.indexOf('PENDING')} end)`,
} as const;

const PLACE_COLUMNS = Object.keys(PLACE) as (keyof typeof PLACE)[];

/** Columns of a page, in the order in which `ResultRows` reads them. */
export const PAGE_COLUMNS = [...STORED, ...PLACE_COLUMNS] as const;

const select = (places: readonly string[]): string =>
  `select ${[...STORED.map((column) => `r.${column}`), ...places].join(', ')} from result r`;

export const SQL_ROWS = select(PLACE_COLUMNS.map(() => 'null'));
/** With a limit the join cannot become one that reads all locations, of which a page has few. */
export const SQL_PLACED_ROWS = `${select(Object.values(PLACE))}
  left join lateral (select * from location where location.address_key = r.address_key limit 1) l on true`;
