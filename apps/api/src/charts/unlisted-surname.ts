import { type PlacedSurnames } from '@donorlens/campaign-finance';
import { EnrichedItem, emptyContribution, enrichContribution, enrichmentRules } from '@donorlens/enrichment';
import { type Release } from '@donorlens/reference-data';

/** Tells persons whose surname is not listed, by the rules of enrichment. */
export function unlistedSurname(release: Release): PlacedSurnames['isUnlisted'] {
  const [rules, item, contribution] = [enrichmentRules('contributions', null), new EnrichedItem(), emptyContribution()];
  return (contributorName, entityType, date) => {
    enrichContribution({ ...contribution, contributorName, entityType, date }, release, rules, item);
    return item.isSurnameUnlisted;
  };
}
