import { Controller, Get, Req, Res } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { FEC_OFFICES } from '@donorlens/primitives';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AboutFactsReader } from '../../charts/about-facts';
import { CandidateProfiles } from '../../charts/candidate-profiles';
import { DonorCharts } from '../../charts/donor-charts';
import { CANDIDATE_ID, COMMITTEE_ID, CYCLE, type ListParameter } from '../../charts/list-parameters';
import { publishedOrNull } from '../../charts/table-reader';
import { readLists } from '../../charts/table-query';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { Route } from '../../http/route-policy';
import { awaitShared } from '../../http/request-scheduling';
import { sendChartPage } from '../charts/chart-pages';
import { renderNotBuiltPage } from '../charts/chart-selection-page';
import { requestContextOf } from '../charts/chart-subject';
import { SearchIndex } from '../search/search-index';
import { MAX_COMPARED, renderComparePage } from './compare-page';
import { type Comparison } from './compare-sections';

const ID: ListParameter = {
  name: 'id',
  description: `IDs of up to ${MAX_COMPARED} candidates, or of as many committees.`,
  schema: z.array(z.string()).max(MAX_COMPARED),
  maxValues: MAX_COMPARED,
  read: (text) => {
    const candidate = CANDIDATE_ID.read(text);
    const committee = COMMITTEE_ID.read(text);
    if ('value' in candidate) return candidate;
    return 'value' in committee ? committee : { fault: 'must be the ID of a candidate or of a committee' };
  },
};
const TEXT = { name: 'q', description: 'A name to search for.', schema: z.string() };

interface CompareQuery {
  readonly ids: readonly string[];
  readonly cycle: number | null;
  readonly text: string;
}

const isCommittee = (id: string): boolean => id.startsWith('C');

/** @throws Problem 400 */
function compareQuery(request: FastifyRequest): CompareQuery {
  const reader = new ParameterReader(request.query as QueryParameters);
  const { id: ids, cycle } = readLists(reader, [ID, { ...CYCLE, maxValues: 1 }]);
  if (new Set(ids.map(isCommittee)).size > 1)
    reader.addFault(ID.name, 'must be only candidate IDs or only committee IDs');
  const text = (reader.text(TEXT.name) ?? '').trim();
  reader.finish();
  return { ids, cycle: cycle.length === 0 ? null : Number(cycle[0]), text };
}

const MAX_FOUND = 10;

/** Candidates or committees side by side. */
@Controller('compare')
export class CompareController {
  constructor(
    private readonly profiles: CandidateProfiles,
    private readonly charts: DonorCharts,
    private readonly about: AboutFactsReader,
    private readonly search: SearchIndex,
    private readonly watch: ChartVersionWatch,
  ) {}

  @Get()
  @Route({
    access: 'charts:read',
    page: true,
    summary: `The donors of up to ${MAX_COMPARED} candidates or committees side by side.`,
    query: [ID, CYCLE, TEXT],
    answers: { 200: { description: 'A page for people.', content: { 'text/html': null } } },
    problems: ['unavailable'],
  })
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = compareQuery(request);
    const context = requestContextOf(request);
    const version = publishedOrNull(this.watch.current(), 'charts');
    if (version === null) {
      void reply.code(503).header('retry-after', '5');
      return sendChartPage(request, reply, renderNotBuiltPage('Comparison', context), null);
    }
    const { ids, cycle, text } = query;
    const reading = ids.some(isCommittee) ? this.committees(ids, cycle) : this.candidates(ids, cycle);
    const comparison = await awaitShared(reading, request);
    const kind = comparison.kind;
    const kinds = ids.length === 0 ? (['candidate', 'committee'] as const) : [kind];
    const found = text === '' ? null : await this.search.find(text, kinds, MAX_FOUND);
    const near = found?.length === 0 ? await this.search.suggest(text, kinds, MAX_FOUND) : [];
    const facts = await this.about.facts();
    const html = renderComparePage({ comparison, text, found, near, facts, context });
    return sendChartPage(request, reply, html, version);
  }

  private async candidates(ids: readonly string[], requested: number | null): Promise<Comparison> {
    const known = await Promise.all(ids.map((id) => this.profiles.find(id, null)));
    const cycles = known.map((profile) => profile?.cycles ?? []);
    const cycle = requested ?? commonCycle(cycles);
    const profiles = cycle === null ? [] : await Promise.all(ids.map((id) => this.profiles.find(id, cycle)));
    const shown = profiles
      .flatMap((profile) => (profile?.donors ? [{ ...profile, donors: profile.donors }] : []))
      .sort((a, b) => b.donors.count - a.donors.count);
    const office = [...new Set(ids.map((id) => id[0]))];
    const lists = { cycle: [String(cycle)], office };
    const committees = shown.flatMap(({ donors }) => donors.ages.slice(0, 1).map(({ part }) => part.id));
    return {
      ...{ kind: 'candidate', ids: orderIdsByChart(shown, ids), cycle, cycles: [...new Set(cycles.flat())].sort() },
      names: new Map(known.flatMap((profile) => (profile ? [[profile.id, profile.name] as const] : []))),
      profiles: shown,
      lines: shown.length === 0 ? null : await this.charts.lines({ ...lists, candidate_id: ids }),
      ages:
        committees.length === 0
          ? []
          : [await this.charts.ages({ ...lists, committee_id: committees, basis: ['adult'] })],
    };
  }

  private async committees(ids: readonly string[], requested: number | null): Promise<Comparison> {
    const lists = { committee_id: ids, office: FEC_OFFICES };
    const all = await Promise.all(
      ids.map((id) => this.charts.ages({ ...lists, committee_id: [id], cycle: [], basis: ['adult'] })),
    );
    const cycles = all.map(({ parts }) => parts.map(({ cycle }) => cycle));
    const cycle = requested ?? commonCycle(cycles);
    const bases = cycle === null ? [] : ['adult', 'donors'];
    const charts = await Promise.all(
      bases.map((basis) => this.charts.ages({ ...lists, cycle: [String(cycle)], basis: [basis] })),
    );
    return {
      ...{
        kind: 'committee',
        ids: orderIdsByChart(charts[0]?.parts ?? [], ids),
        cycle,
        cycles: [...new Set(cycles.flat())].sort(),
      },
      ...{ names: new Map(all.flatMap(({ names }) => [...names])), profiles: [], lines: null },
      ages: charts.filter(({ parts }) => parts.length > 0),
    };
  }
}

/** The ids in the order of the charts, then those without a chart. */
const orderIdsByChart = (shown: readonly { readonly id: string }[], ids: readonly string[]): string[] => [
  ...new Set([...shown.map(({ id }) => id), ...ids]),
];

/** The newest of the cycles that are in the most lists; null if all lists are empty. */
export function commonCycle(lists: readonly (readonly number[])[]): number | null {
  const counts = new Map<number, number>();
  for (const cycle of lists.flatMap((list) => [...new Set(list)])) counts.set(cycle, (counts.get(cycle) ?? 0) + 1);
  const [first] = [...counts].sort(([a, many], [b, others]) => others - many || b - a);
  return first?.[0] ?? null;
}
