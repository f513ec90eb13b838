import { KEY } from '../installation';
import { CANDIDATES, CYCLE, DAYS, FIRST_NAME } from './gift-files';
import { type Judge, type Verdict } from './judge';

export const QUESTIONS = ['age and gender, 220 names', 'cumulative donors', 'age distribution'] as const;
export type Question = (typeof QUESTIONS)[number];

const NAMES = ['Mary', 'Linda', 'James', 'Ashley', 'Ethan', 'Robert', 'Susan', 'Deborah', 'Betty', 'Karen', 'Sharon'];
const BULK = JSON.stringify({ queries: NAMES.flatMap((name) => DAYS.map((date) => ({ name, date }))) });
const AUTHORIZATION = { authorization: `Bearer ${KEY}` };
const ids = (name: string, values: readonly string[]): string => values.map((id) => `${name}=${id}`).join('&');
const CHARTS = {
  'cumulative donors': `cumulative_donors/candidate?${ids('candidate_id', Object.keys(CANDIDATES))}&cycle=${CYCLE}`,
  'age distribution': `age_distribution/committee?${ids('committee_id', Object.values(CANDIDATES))}&cycle=${CYCLE}`,
};

export interface Answer {
  readonly status: number;
  /** Of the header; empty where there is none. */
  readonly version: string;
  readonly body: string;
}

export async function askOne(api: string, question: Question): Promise<Answer> {
  const response =
    question in CHARTS
      ? await fetch(`${api}/data-charts/v1/${CHARTS[question as keyof typeof CHARTS]}`, {
          headers: { ...AUTHORIZATION, accept: 'text/csv' },
        })
      : await fetch(`${api}/enrich/v1/age_gender`, {
          method: 'POST',
          headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
          body: BULK,
        });
  return {
    status: response.status,
    version: response.headers.get('data-version') ?? '',
    body: await response.text(),
  };
}

/** Ages of the gifts' donors by day, from a bulk answer: their name is the first that is asked for. */
export function agesByDay(body: string): (number | null)[] {
  const { results } = JSON.parse(body) as { results: { age: number | null }[] };
  if (NAMES[0] !== FIRST_NAME) throw new Error(`the first name asked for is not ${FIRST_NAME}`);
  return results.slice(0, DAYS.length).map(({ age }) => age);
}

export interface Read {
  readonly question: Question;
  readonly ms: number;
  readonly verdict: Verdict | 'refused';
  readonly version: string;
}

/** Asks one question after the other, as fast as they are answered. */
export async function reader(api: string, nth: number, judge: Judge, isOver: () => boolean): Promise<Read[]> {
  const reads: Read[] = [];
  for (let at = nth; !isOver(); at++) {
    const question = QUESTIONS[at % QUESTIONS.length];
    const start = performance.now();
    const { status, version, body } = await askOne(api, question);
    const ms = performance.now() - start;
    reads.push({ question, ms, version, verdict: status === 200 ? judged(judge, question, version, body) : 'refused' });
  }
  return reads;
}

function judged(judge: Judge, question: Question, version: string, body: string): Verdict {
  if (question === 'cumulative donors') return judge.cumulative(version, body);
  return question === 'age distribution' ? judge.ages(version, body) : judge.bulk(version, body);
}
