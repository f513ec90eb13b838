import { type ChartsVersion, type ChartVersionWatch, type PublishedVersions } from '@donorlens/charts';
import { Problem } from '../http/problem';

/** What files are made from. */
export type Origin = keyof PublishedVersions;

const NOT_YET: Readonly<Record<Origin, string>> = {
  charts: 'The charts are not built yet.',
  masters: 'No candidates and committees are loaded yet.',
};

/** A state of what files are made from, and since when it is the current one. */
export interface Published {
  readonly id: string;
  readonly at: Date;
}

export function publishedOrNull({ charts, masters }: PublishedVersions, origin: Origin): Published | null {
  if (origin === 'charts') return charts && { id: charts.id, at: charts.builtAt };
  return masters && { id: masters.id, at: masters.movedAt };
}

/** @throws Problem 503 before there is one */
export function published(watch: ChartVersionWatch, origin: Origin): Published {
  const current = publishedOrNull(watch.current(), origin);
  if (current === null) throw new Problem('unavailable', NOT_YET[origin], { headers: { 'retry-after': '5' } });
  return current;
}

export const chartsVersion = ({ id, at }: Published): ChartsVersion => ({ id, builtAt: at });

/** Looks at the pointers as they are after this moment: a look that is under way may have begun before it. */
export async function lookAgain(watch: ChartVersionWatch): Promise<void> {
  await watch.refreshNow();
  await watch.refreshNow();
}
