import { renderToString } from 'preact-render-to-string';
import { type AboutFacts } from '../../charts/about-facts';
import { AboutCoverage, AboutSensitivity } from './about-coverage';

describe('loaded data', () => {
  const linesOf = (...unlinked: [committeeId: string, cycle: number][]): string => {
    const facts = { masters: [], cycles: [], builtAt: null, unlinked: [] } as unknown as AboutFacts;
    const pairs = unlinked.map(([committeeId, cycle]) => ({ committeeId, cycle })) as unknown as AboutFacts['unlinked'];
    return renderToString(<AboutCoverage facts={{ ...facts, unlinked: pairs }} />).replace(/<[^>]+>/g, '');
  };

  it('counts each committee without a linkage once, and names its cycles', () => {
    expect(linesOf(['C1', 2018])).toContain(
      '1 committee received money in a cycle without a linkage to a candidate. The money counts only in the charts of the committee: C1 in 2018.',
    );
    const many = linesOf(['C1', 2018], ['C1', 2020], ['C2', 2018], ['C2', 2020], ['C3', 2018], ['C3', 2020]);
    expect(many).toContain('3 committees received money');
    expect(many).toContain('C3 in 2018 and 1 more.');
    expect(linesOf()).not.toContain('received money');
  });

  it('has the share of near-duplicate donors of each measured cycle', () => {
    const nearDuplicates = { donors: 400, pairedDonors: 10, pairs: 1_234 };
    const sensitivity = { donors: 500, donorsByCoarserKey: 495, nearDuplicates };
    const facts = { cycles: [{ cycle: 2016, sensitivity }], donorKeyVersion: 3 } as unknown as AboutFacts;
    const page = renderToString(<AboutSensitivity facts={facts} />);
    expect(page).toContain('<td>500</td><td>495</td><td>1%</td><td>1,234</td><td>2.5%</td>');
  });
});
