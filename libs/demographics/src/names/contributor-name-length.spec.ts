import { parseContributorName } from './contributor-name';

const known = {
  firstName: (key: string) => key === 'orla',
  surname: (key: string) => key === 'QUILL',
  clearSex: () => null,
};
const parse = (name: string) => parseContributorName(name, 'IND', known);

describe('a name', () => {
  it.each([
    ['marks', '\u0301\u0316'],
    ['hyphens', '-b'],
    ['commas', ', '],
    ['brackets', '('],
    ['quotes', '"a'],
    ['apostrophes', " 'a"],
    ['titles', 'MR. '],
    ['initials', 'A.'],
    ['couples', '&A'],
    ['lone surrogates', '\ud800'],
  ])('of 100,000 characters is parsed within the test timeout: %s', (_what, unit) => {
    const long = `A${unit.repeat(100_000 / unit.length)}`;
    expect(['person', 'couple', 'unparsed']).toContain(parse(long).kind);
    expect(parse(`${long}, ${long}`).firstKey).toBeNull();
  });
});
