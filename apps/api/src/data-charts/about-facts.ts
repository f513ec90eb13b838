import { type ImportedFiles, type MastersCoverage } from '@donorlens/campaign-finance';
import { type CycleCoverage, type NearestLinkage } from '@donorlens/charts';
import { type StoredRelease } from '@donorlens/reference-data';
import { type IndexEntry } from './chart-index';
import { type LinesChart } from './donor-charts';

/** Ids of loaded data that the examples of the about page ask for. */
export interface ExampleIds {
  readonly cycle: number;
  readonly candidateId: string;
  readonly committeeId: string | null;
  readonly namePart: string;
}

/** What the about page says of the data as they are now. */
export interface AboutFacts {
  readonly cycles: readonly CycleCoverage[];
  readonly nearestLinkages: readonly NearestLinkage[];
  /** null before charts were built */
  readonly builtAt: Date | null;
  /** of the rule by which the donors of these charts are told apart; null before charts were built */
  readonly donorKeyVersion: number | null;
  readonly masters: readonly MastersCoverage[];
  readonly imports: ImportedFiles;
  readonly release: StoredRelease | null;
  /** which streets and which boundaries addresses are located by */
  readonly geocoder: { readonly benchmark: string; readonly vintage: string };
  /** null where nothing is loaded */
  readonly examples: ExampleIds | null;
  /** of whom there are charts; empty before charts were built */
  readonly index: readonly IndexEntry[];
  /** the cycle with the most contributions; null where there is none */
  readonly picture: LinesChart | null;
}

/** True where any of the campaign data was made up by us. */
export const hasSample = ({ masters, imports }: Pick<AboutFacts, 'masters' | 'imports'>): boolean =>
  imports.hasSample || masters.some(({ label }) => label === 'sample');
