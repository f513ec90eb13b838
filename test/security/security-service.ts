import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownOf, type Report } from '../../scripts/command/report';
import { Installation, KEY, ROOT } from '../support/installation';
import { until } from '../support/until';

/** FULL=1: all sizes, and the reports are written to docs/results. */
export const FULL = process.env.FULL === '1';

/** A number of the environment, or the default of a full or a sampled run. */
export const sizeOf = (variable: string, sampled: number, full: number): number =>
  Number(process.env[variable] ?? (FULL ? full : sampled));

/** Starts a service with charts. */
export async function startService(): Promise<Installation> {
  const installation = await Installation.start({
    queue: 'redis',
    tuning: 'test',
    environment: {
      LOG_LEVEL: 'warn',
      BATCH_TTL_HOURS: '1',
      WEBHOOK_ALLOWED_HOSTS: 'receiver.example',
      CHART_EMBEDS: 'public',
    },
  });
  await chartsAreServed(installation.apiUrls[0]);
  return installation;
}

/** Charts answer 503 until the first start has imported the sample. */
async function chartsAreServed(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` };
  const areServed = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/data-charts/v1/cumulative_donors/candidate?cycle=2024`, { headers });
    return answer.ok && (await answer.text()).split('\n').length > 2;
  };
  await until('the sample charts are served', areServed);
}

/** @throws Error with the report if it has not passed */
export function expectPassed(name: string, report: Report): void {
  const text = markdownOf(report, `FULL=1 npm test -- test/security`);
  if (FULL) {
    mkdirSync(join(ROOT, 'docs/results'), { recursive: true });
    writeFileSync(join(ROOT, 'docs/results', `${name}.md`), `# ${name}\n\n${text}\n`);
  }
  if (!report.passed) throw new Error(`${name}:\n${text}`);
}
