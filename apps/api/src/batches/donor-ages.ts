import { Injectable } from '@nestjs/common';
import { AgeEstimates, ChartVersionWatch } from '@donorlens/charts';
import { GroupedAges, type YearGroup } from '@donorlens/demographics';
import { type EnrichedItem } from '@donorlens/enrichment';
import { type Release } from '@donorlens/reference-data';
import { Problem } from '../http/problem';

/** Ages of the donors of the stored cycles, from the current version of the charts. */
@Injectable()
export class DonorAges {
  private known: { readonly version: string; readonly groups: readonly YearGroup[] } | null = null;
  private ages: { readonly groups: readonly YearGroup[]; readonly release: string; readonly of: GroupedAges } | null =
    null;

  constructor(
    private readonly estimates: AgeEstimates,
    private readonly watch: ChartVersionWatch,
  ) {}

  /** Age groups by cycle. @throws Problem 409 if no cycle is stored */
  async groups(): Promise<readonly YearGroup[]> {
    const version = this.watch.current().charts;
    if (version !== null && this.known?.version !== version.id)
      this.known = { version: version.id, groups: await this.estimates.ofCycles(version) };
    if (version !== null && this.known !== null && this.known.groups.length > 0) return this.known.groups;
    throw new Problem(
      'no-donor-ages',
      'No contributions are stored. Import a cycle (bin/donorlens import fec --cycle 2024), or use age_basis=adult.',
    );
  }

  /** Ages by name for this data release. @throws Problem 409 if no cycle is stored */
  async load(release: Release): Promise<GroupedAges> {
    const groups = await this.groups();
    if (this.ages?.groups !== groups || this.ages.release !== release.id)
      this.ages = { groups, release: release.id, of: new GroupedAges(release.demographics.groupAges, groups) };
    return this.ages.of;
  }
}

/** Age in years; null without a known first name or a date. */
export const ageOfItem = ({ nameIndex, on }: EnrichedItem, ages: GroupedAges): number | null =>
  on === null ? null : ages.ageAt(nameIndex, on);
