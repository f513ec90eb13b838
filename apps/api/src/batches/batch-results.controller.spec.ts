import { attachment } from './batch-results.controller';

describe('the name of a downloaded file', () => {
  const id = '0b0f6a1c-2f67-4b0a-9a39-0c1f5d2e7b11';

  it.each([
    ['donors.csv', 'attachment; filename="donors-enriched.csv"'],
    ['itcont 2016.txt.gz', 'attachment; filename="itcont 2016-enriched.csv"'],
    ['no extension', 'attachment; filename="no extension-enriched.csv"'],
    ['../a"b.csv', `attachment; filename=".._a_b-enriched.csv"; filename*=UTF-8''.._a%22b-enriched.csv`],
    [
      'Spender (März).csv',
      `attachment; filename="Spender (M_rz)-enriched.csv"; filename*=UTF-8''Spender%20%28M%C3%A4rz%29-enriched.csv`,
    ],
    [null, 'attachment; filename=enriched-0b0f6a1c.csv'],
  ])('follows that of the input: %p', (name, expected) => {
    expect(attachment({ id, name }, 'enriched', 'csv')).toBe(expected);
  });

  it('names the summary of an input without a name', () => {
    expect(attachment({ id, name: null }, 'summary', 'csv')).toBe('attachment; filename=summary-0b0f6a1c.csv');
  });
});
