/** Federal offices, as the FEC abbreviates them: President, Senate, House. Ids of candidates begin with their office. */
export const FEC_OFFICES = ['P', 'S', 'H'] as const;
export type FecOffice = (typeof FEC_OFFICES)[number];

/** Default offices of imports and answers. */
export const DEFAULT_OFFICES: readonly FecOffice[] = ['P'];

export const OFFICE_NAMES: Readonly<Record<FecOffice, string>> = { P: 'President', S: 'Senate', H: 'House' };

/** The office in the id of a candidate; undefined for a committee. */
export const officeOf = (candidateId: string): FecOffice | undefined =>
  FEC_OFFICES.find((office) => candidateId.startsWith(office));
