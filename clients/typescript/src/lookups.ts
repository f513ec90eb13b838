import { answerOf, type Connection } from './connection';
import { type components } from './schema';

type Schemas = components['schemas'];

/** Whose ages a name stands for. */
type LookupBasis = 'name' | 'adult' | 'donors';

export interface Lookups {
  /** Age and gender of first names, in the order of the queries. An unknown name has nulls. */
  ageGender(
    queries: Schemas['AgeGenderQuery'][],
    options?: { detail?: boolean; min_age?: number; age_basis?: LookupBasis },
  ): Promise<Schemas['AgeGenderResult'][]>;
  /** Ethnicity of surnames, in the order of the queries. */
  ethnicity(
    queries: Schemas['EthnicityQuery'][],
    options?: { detail?: boolean },
  ): Promise<Schemas['EthnicityResult'][]>;
  /** All attributes of contributions. A new address is PENDING: send many as a batch. */
  contributions(
    queries: Schemas['ContributionQuery'][],
    options?: { min_age?: number; age_basis?: LookupBasis },
  ): Promise<Schemas['ContributionResult'][]>;
}

/** A lookup becomes a batch only with `Prefer: respond-async`, which this client does not send. */
function resultsOf<T>(answer: { results: T[] } | Schemas['Batch']): T[] {
  if ('results' in answer) return answer.results;
  throw new Error('The service stored the queries as a batch.');
}

export const lookups = ({ client }: Connection): Lookups => ({
  ageGender: async (queries, query = {}) =>
    resultsOf(await answerOf(client.POST('/enrich/v1/age_gender', { params: { query }, body: { queries } }))),
  ethnicity: async (queries, query = {}) =>
    resultsOf(await answerOf(client.POST('/enrich/v1/ethnicity', { params: { query }, body: { queries } }))),
  contributions: async (queries, query = {}) =>
    resultsOf(await answerOf(client.POST('/enrich/v1/contributions', { params: { query }, body: { queries } }))),
});
