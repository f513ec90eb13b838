import { didYouMean, nearest } from './arguments';

describe('the suggestion for a mistyped word', () => {
  it('is the word with the fewest edits', () => {
    expect(nearest('age_gendr', ['age_gender', 'ethnicity'])).toBe('age_gender');
    expect(nearest('enrihc', ['enrich', 'geocode'])).toBe('enrich'); // a transposition is one edit
    expect(nearest('ENRICH', ['enrich', 'geocode'])).toBe('enrich');
    expect(nearest('chart:rows', ['charts:read', 'charts:rows'])).toBe('charts:rows');
  });

  it('is the only word that starts with the typed text', () => {
    expect(nearest('geo', ['enrich', 'geocode'])).toBe('geocode');
    expect(nearest('charts', ['charts:read', 'charts:rows'])).toBeNull();
  });

  it('is null if no word is close', () => {
    expect(nearest('shoe_size', ['age_gender', 'ethnicity'])).toBeNull();
    expect(didYouMean('x', ['csv', 'json'])).toBe('');
    expect(nearest('x', [])).toBeNull();
  });
});
