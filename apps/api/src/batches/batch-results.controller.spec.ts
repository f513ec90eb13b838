import { attachment } from './batch-results.controller';

describe('the name of a downloaded file', () => {
  it.each([
    ['donors.csv', 'attachment; filename="donors-enriched.csv"'],
    ['itcont 2016.txt.gz', 'attachment; filename="itcont 2016-enriched.csv"'],
    ['no extension', 'attachment; filename="no extension-enriched.csv"'],
    ['../a"b.csv', `attachment; filename=".._a_b-enriched.csv"; filename*=UTF-8''.._a%22b-enriched.csv`],
    [
      'Spender (März).csv',
      `attachment; filename="Spender (M_rz)-enriched.csv"; filename*=UTF-8''Spender%20%28M%C3%A4rz%29-enriched.csv`,
    ],
    [null, 'attachment; filename=results.csv'],
  ])('follows that of the input: %p', (name, expected) => {
    expect(attachment({ name }, 'enriched', 'csv')).toBe(expected);
  });

  it('names the summary of an input without a name', () => {
    expect(attachment({ name: null }, 'summary', 'csv')).toBe('attachment; filename=summary.csv');
  });
});
