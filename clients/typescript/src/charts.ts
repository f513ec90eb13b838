import { answerOf, type Connection } from './connection';
import { type paths } from './schema';

/** Tables under `/data-charts/v1`, as in `cumulative_donors/candidate`. The search of contributions has no JSON. */
export type ChartName = {
  [Path in keyof paths]: Path extends `/data-charts/v1/${infer Name}`
    ? Exclude<Name, 'about' | 'contributions/search'>
    : never;
}[keyof paths];

type Values = string | number | readonly (string | number)[];

export interface Charts {
  /** Rows of a table: `chart('cumulative_donors/candidate', { candidate_id: ['P90000001'], cycle: [2024] })`. */
  chart(name: ChartName, query?: Readonly<Record<string, Values>>): Promise<Record<string, unknown>[]>;
}

interface Table {
  readonly results: Record<string, unknown>[];
}

export const charts = ({ client }: Connection): Charts => ({
  chart: async (name, query = {}) => {
    const params = { query: { ...query, format: 'json' } as never };
    const table = (await answerOf(client.GET(`/data-charts/v1/${name}`, { params }))) as unknown as Table;
    return table.results;
  },
});
