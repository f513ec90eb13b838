import { Injectable } from '@nestjs/common';
import { MastersRepository } from '@donorlens/campaign-finance';
import { ChartVersionWatch } from '@donorlens/charts';
import { type DonorAges, donorAges } from './donor-ages';
import { type DonorLine, donorLines, type Drawn } from './donor-lines';
import { type Published } from './published';
import { AGE_DISTRIBUTION, CUMULATIVE_DONORS, type TableFile } from './table-files';
import { type TableQuery } from './table-query';
import { TableRows, type VersionedRows } from './table-rows';

/** What a chart shows of an answer, and of which state of the data. */
export interface Charted<T> extends Drawn<T> {
  readonly version: Published;
  /** of what is drawn, by id; an id that no master knows has none */
  readonly names: ReadonlyMap<string, string>;
  /** candidates of the committees that are drawn, or principal committees of the candidates */
  readonly linked: readonly string[];
}

export type AgesChart = Charted<DonorAges>;
export type LinesChart = Charted<DonorLine>;
type Lists = TableQuery['lists'];

/** A chart that is kept has at most some thousand numbers. */
const MOST_KEPT = 64;

/** Charts of the rows that the files have, read once for each version and question. */
@Injectable()
export class DonorCharts {
  private readonly kept = new Map<string, Promise<unknown>>();

  constructor(
    private readonly rows: TableRows,
    private readonly masters: MastersRepository,
    private readonly watch: ChartVersionWatch,
  ) {}

  /** @throws Problem 503 where charts are not built yet */
  ages(lists: Lists): Promise<AgesChart> {
    return this.once(AGE_DISTRIBUTION, lists, ({ rows }) => Promise.resolve(donorAges(rows)));
  }

  /** @throws Problem 503 where charts are not built yet */
  lines(lists: Lists): Promise<LinesChart> {
    return this.once(CUMULATIVE_DONORS, lists, ({ rows }) => donorLines(rows));
  }

  private once<T extends { readonly id: string }>(
    file: TableFile,
    lists: Lists,
    draw: (read: VersionedRows) => Promise<Drawn<T>>,
  ): Promise<Charted<T>> {
    const { charts, masters } = this.watch.current();
    const key = [charts?.id, masters?.id, file.path, JSON.stringify(Object.entries(lists).sort())].join(' ');
    const before = this.kept.get(key) as Promise<Charted<T>> | undefined; // the path in the key says which of them
    if (before !== undefined) return before;
    const making = this.charted(file, lists, draw);
    making.catch(() => this.kept.delete(key));
    this.kept.set(key, making);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT) this.kept.delete(oldest);
    return making;
  }

  private async charted<T extends { readonly id: string }>(
    file: TableFile,
    lists: Lists,
    draw: (read: VersionedRows) => Promise<Drawn<T>>,
  ): Promise<Charted<T>> {
    const read = await this.rows.read(file, lists);
    const drawn = await draw(read);
    const ids = [...new Set(drawn.parts.map(({ id }) => id))];
    const links = await this.masters.linksOf(ids);
    const ofCommittees = links.filter(({ committeeId }) => ids.includes(committeeId)).map((link) => link.candidateId);
    const ofCandidates = links.filter((link) => ids.includes(link.candidateId) && link.isPrincipal);
    const linked = [...new Set([...ofCommittees, ...ofCandidates.map(({ committeeId }) => committeeId)])];
    return { ...drawn, version: read.version, names: await this.masters.namesOf([...ids, ...linked]), linked };
  }
}
