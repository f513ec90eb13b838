import { KEY, until } from './installation';

/** A first start imports a sample, and answers 503 to what is asked of its charts meanwhile. */
export async function chartsAreIn(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` };
  await until(
    'the made-up charts are served',
    async () => {
      const answer = await fetch(`${url}/data-charts/v1/cumulative_donors/candidate?cycle=2024`, { headers });
      return answer.ok && (await answer.text()).split('\n').length > 2;
    },
    120_000,
  );
}
