import { didYouMean, nearest } from './arguments';

describe('the suggestion for a mistyped word', () => {
  it('is the word that takes the fewest changes', () => {
    expect(nearest('age_gendr', ['age_gender', 'ethnicity'])).toBe('age_gender');
    expect(nearest('enrihc', ['enrich', 'geocode'])).toBe('enrich'); // two letters swapped are one change
    expect(nearest('ENRICH', ['enrich', 'geocode'])).toBe('enrich');
    expect(nearest('chart:rows', ['charts:read', 'charts:rows'])).toBe('charts:rows');
  });

  it('is the one word that is only begun', () => {
    expect(nearest('geo', ['enrich', 'geocode'])).toBe('geocode');
    expect(nearest('charts', ['charts:read', 'charts:rows'])).toBeNull();
  });

  it('is nothing where no word is near', () => {
    expect(nearest('shoe_size', ['age_gender', 'ethnicity'])).toBeNull();
    expect(didYouMean('x', ['csv', 'json'])).toBe('');
    expect(nearest('x', [])).toBeNull();
  });
});
