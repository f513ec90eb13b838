import { CAND_ID, CMTE_ID, type Columns, COUNTED, CYCLE, TALLY } from './column';

/** age_distribution/committee */
export const AGE_DISTRIBUTION_COLUMNS: Columns = {
  CYCLE,
  CMTE_ID,
  AGE: {
    kind: 'whole',
    meaning: "donor's estimated age at the first counted contribution to the committee in the cycle",
    unit: 'completed years, 0 to 119; empty: no estimate',
    source: 'SSA births by name, SSA period life tables',
  },
  ...TALLY,
};

/** cumulative_donors/candidate */
export const CUMULATIVE_DONORS_COLUMNS: Columns = {
  CYCLE,
  CAND_ID,
  REF_DATE: {
    kind: 'date',
    meaning: 'every day from the first of the cycle to its newest contribution',
    unit: 'yyyy-mm-dd',
    source: COUNTED,
  },
  CUMUL_DONORS: {
    kind: 'whole',
    meaning: 'different donors up to and with that day',
    unit: 'people, told apart by the donor key',
    source: COUNTED,
  },
};

/** breakdown/candidate */
export const BREAKDOWN_COLUMNS: Columns = {
  CYCLE,
  CAND_ID,
  BY: {
    kind: 'text',
    meaning: 'what the donors are told apart by',
    unit: 'age, ethnicity, gender, income, state',
    source: COUNTED,
  },
  VALUE: {
    kind: 'text',
    meaning: 'the group',
    unit: "ages in tens (30-39), county's median income in 10,000 dollars (50000-59999), codes as in the contributions; empty: unknown",
    source: 'each donor as at the first counted contribution',
  },
  ...TALLY,
};
