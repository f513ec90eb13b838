import { type Scope } from '@donorlens/access-keys';
import { renderHomePage } from './home.controller';

const headings = (scopes: readonly Scope[] | null): string[] => {
  const user = scopes && { keyName: 'newsroom', scopes: new Set(scopes), csrf: 'c' };
  const html = renderHomePage({ release: null, user, origin: 'http://127.0.0.1', today: '2026-01-02' });
  return [...html.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, heading]) => heading);
};

describe('the start page', () => {
  const NAMES = ['Look up a name', 'Look up a surname'];
  it.each<[readonly Scope[] | null, string[]]>([
    [null, [...NAMES, 'Upload a file', 'Donor charts', 'Developers', 'Operators']],
    [['enrich:read'], [...NAMES, 'Developers']],
    [['enrich:batch'], ['Upload a file', 'Developers']],
    [['charts:read'], ['Donor charts', 'Developers']],
    [['ops'], ['Developers', 'Operators']],
  ])('of a key with %j has the cards that the key may use', (scopes, expected) => {
    expect(headings(scopes)).toEqual(expected);
  });
});
