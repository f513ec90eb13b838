import { Injectable } from '@nestjs/common';
import { type PlacedNames, storedNames } from '@donorlens/campaign-finance';
import {
  type BreakdownRow,
  type CandidateDonor,
  type ChartsVersion,
  DonorRepository,
  type DonorsQuery,
  EthnicitySums,
} from '@donorlens/charts';
import { emptyPlaceEthnicity, placeEthnicity } from '@donorlens/demographics';
import { EnrichedItem, emptyContribution, enrichContribution, placeRules } from '@donorlens/enrichment';
import { domesticZip } from '@donorlens/locations';
import { type EthnicityOption } from '@donorlens/primitives';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { invalidRequest } from '../http/problem';
import { requestedAreas } from '../schemas/parameters';
import { contributionFileLimiter } from './download-limiter';

/** Shares of one donor by group, in the order of PCT_COLUMNS; null if unknown. Valid until the next call. */
type Estimator = (donor: CandidateDonor) => ArrayLike<number> | null;

/** Maximum number of requests that read donors at a time. */
const MAX_READS = 1;

/** Expected donors of candidates by ethnicity: sums of probabilities, which include groups that label counts miss. */
@Injectable()
export class DonorEthnicities {
  private readonly limiter = contributionFileLimiter(
    MAX_READS,
    undefined,
    'another ethnicity breakdown is being computed',
  );

  constructor(
    private readonly donors: DonorRepository,
    private readonly releases: ReleaseHolder,
  ) {}

  /**
   * @param releaseId - of the estimates by place; without it, the active data release
   * @throws Problem 400 without a candidate, 409 if the data release lacks areas, 503 if other requests run too long
   */
  async rows(
    version: ChartsVersion,
    query: DonorsQuery,
    basis: EthnicityOption,
    releaseId?: string | null,
  ): Promise<BreakdownRow[]> {
    if (query.candidateIds.length === 0)
      throw invalidRequest([{ pointer: '/query/candidate_id', detail: 'is needed with ethnicity_basis' }]);
    const sharesOf = this.estimator(basis, await this.release(releaseId));
    const sums = new EthnicitySums();
    await this.limiter.runExclusive(() =>
      this.donors.forEachPage(version, query, (donors) => {
        for (const donor of donors) sums.add(donor.cycle, donor.candidateId, sharesOf(donor));
      }),
    );
    return sums.rows();
  }

  /** The active data release may have changed since the request began, whose file names its data release. */
  private async release(id: string | null | undefined): Promise<Release | null> {
    const current = this.releases.current();
    return typeof id !== 'string' || current?.id === id ? current : this.releases.get(id);
  }

  private estimator(basis: EthnicityOption, release: Release | null): Estimator {
    const { geography } = requestedAreas(release, { ethnicityBasis: basis, tractIncome: false });
    if (release === null || geography === null) return ({ pctHundredths }) => pctHundredths;
    const placed = { geography, lookUp: filedNameLookup(release) };
    const estimate = emptyPlaceEthnicity();
    return ({ pctHundredths, name, entityType, date, state, zip: filedZip, hasAddress, fips, tract }) => {
      const names = storedNames(placed, { pctHundredths, race: null }, name, entityType, date);
      const zip = filedZip === '' ? '' : domesticZip(state, filedZip);
      const byZip = hasAddress || zip === '' ? null : release.counties.findZip(zip);
      const place = { fips: fips ?? byZip?.county.fips ?? null, tract, zip };
      return placeEthnicity(names, place, geography, estimate).pctHundredths;
    };
  }
}

/** Returns a function that looks up filed names by the rules of enrichment and returns the same object each time. */
export function filedNameLookup(release: Release): PlacedNames['lookUp'] {
  const [rules, item, contribution] = [placeRules('contributions', release), new EnrichedItem(), emptyContribution()];
  return (contributorName, entityType, date) => {
    enrichContribution({ ...contribution, contributorName, entityType, date }, release, rules, item);
    return item;
  };
}
