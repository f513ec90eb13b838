import { gzipSync } from 'node:zlib';
import { renderAgesPage } from '../../apps/api/src/pages/ages-page';
import { renderLinesPage } from '../../apps/api/src/pages/lines-page';
import { standaloneAges, standaloneLines } from '../../apps/api/src/pages/standalone-donors';
import { agesProps, linesProps, MADE_UP_AGES, MADE_UP_LINES } from './made-up-charts';
import { median, report } from './measure';

const ROUNDS = 500;

/** Rendering alone, with as much in it as is ever drawn: what is asked often is as warm as this. */
export function benchPages(): void {
  const lines = linesProps(MADE_UP_LINES);
  const ages = agesProps(MADE_UP_AGES);
  const renders: [string, () => string][] = [
    ['page of 8 lines of 731 days', () => renderLinesPage(lines)],
    ['picture of them', () => standaloneLines(lines.chart)],
    ['page of 9 histograms', () => renderAgesPage(ages)],
    ['picture of them', () => standaloneAges(ages.chart)],
  ];
  for (const [what, render] of renders) {
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      render();
      return performance.now() - start;
    });
    const kilobytes = gzipSync(render()).length / 1000;
    report(`${what}, rendered`, `${median(times).toFixed(2)} ms`, `${kilobytes.toFixed(1)} KB gzipped`);
  }
}
