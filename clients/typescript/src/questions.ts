import { answerOf, type Connection } from './connection';
import { type components } from './schema';

type Schemas = components['schemas'];

export interface Questions {
  /** Age and gender of first names; the first result is of the first query. An unknown name has nulls. */
  ageGender(
    queries: Schemas['AgeGenderQuery'][],
    options?: { detail?: boolean; min_age?: number },
  ): Promise<Schemas['AgeGenderResult'][]>;
  /** Ethnicity of surnames, likewise. */
  ethnicity(
    queries: Schemas['EthnicityQuery'][],
    options?: { detail?: boolean },
  ): Promise<Schemas['EthnicityResult'][]>;
  /** Everything about contributions. An address that is not located yet is PENDING: send many as a batch. */
  contributions(
    queries: Schemas['ContributionQuery'][],
    options?: { min_age?: number },
  ): Promise<Schemas['ContributionResult'][]>;
}

/** Without `Prefer: respond-async` nobody answers a question with a batch. */
function resultsOf<T>(answer: { results: T[] } | Schemas['Batch']): T[] {
  if ('results' in answer) return answer.results;
  throw new Error('The service has taken the queries as a batch.');
}

export const questions = ({ client }: Connection): Questions => ({
  ageGender: async (queries, query = {}) =>
    resultsOf(await answerOf(client.POST('/enrich/v1/age_gender', { params: { query }, body: { queries } }))),
  ethnicity: async (queries, query = {}) =>
    resultsOf(await answerOf(client.POST('/enrich/v1/ethnicity', { params: { query }, body: { queries } }))),
  contributions: async (queries, query = {}) =>
    resultsOf(await answerOf(client.POST('/enrich/v1/contributions', { params: { query }, body: { queries } }))),
});
