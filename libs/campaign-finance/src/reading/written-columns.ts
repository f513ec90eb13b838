import { GEOCODE_OUTCOMES } from '@donorlens/primitives';

/** Stands for the place of a row whose address has no outcome yet; a row without an address has none. */
export const PENDING = 'P'.charCodeAt(0);
/** Statuses by their number: the outcomes as they are stored, then the two of rows without a location. */
export const STATUSES = [...GEOCODE_OUTCOMES, 'PENDING', 'SKIPPED'] as const;
export const PENDING_STATUS = STATUSES.indexOf('PENDING');
export const SKIPPED_STATUS = STATUSES.indexOf('SKIPPED');

/** Of a row with an address: outcome, county, tract, block, address id, by commas. One look-up by key for each such row. */
const PLACE = `case when address_key is null then '' else coalesce((
    select concat_ws(',', l.outcome, coalesce(l.fips, ''), coalesce(l.tract, ''), coalesce(l.block, ''),
      coalesce(encode(l.address_id, 'hex'), ''))
    from location l where l.address_key = contribution.address_key), 'P') end`;

/** What `ContributionWriter` reads, in this order, as COPY text with '' for null. */
export const WRITTEN_COLUMNS = `record, age, gender, race,
  pct_white, pct_black, pct_api, pct_aian, pct_2prace, pct_hispanic,
  ${PLACE}, counts_money, counts_donor, is_copy, count_reason, release_no`;
