/**
 * One contribution as its sender wrote it, reduced to what we read. An empty text is a blank field, undefined one that
 * is not there at all; none has blanks around it. Reused from row to row on the way of a chunk.
 */
export interface Contribution {
  firstName: string | undefined;
  surname: string | undefined;
  /** `SMITH, JOHN A MR.`; asked only for what the two fields above leave blank. */
  contributorName: string | undefined;
  /** The FEC's ENTITY_TP: IND and CAN are people. */
  entityType: string | undefined;
  date: string | undefined;
  year: string | undefined;
  /** County of the address, five digits, where the sender knows it. */
  fips: string | undefined;
  street: string | undefined;
  /** Asked only where the first line is no street. */
  street2: string | undefined;
  city: string | undefined;
  state: string | undefined;
  zip: string | undefined;
}

export const emptyContribution = (): Contribution => ({
  firstName: undefined,
  surname: undefined,
  contributorName: undefined,
  entityType: undefined,
  date: undefined,
  year: undefined,
  fips: undefined,
  street: undefined,
  street2: undefined,
  city: undefined,
  state: undefined,
  zip: undefined,
});
