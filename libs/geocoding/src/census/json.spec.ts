import { parsedWithoutCoordinates } from './json-answer';

it('parses everything except coordinates, interior points and centroids', () => {
  const layer = { GEOID: '42017', INTPTLAT: '+40.2', INTPTLON: '-074.9', CENTLAT: '+40.3', CENTLON: '-074.8' };
  const match = { matchedAddress: '1 ELM ST', coordinates: { x: -74.9, y: 40.2 }, geographies: { Counties: [layer] } };
  expect(parsedWithoutCoordinates(JSON.stringify([match]))).toEqual([
    { matchedAddress: '1 ELM ST', geographies: { Counties: [{ GEOID: '42017' }] } },
  ]);
});

it('returns undefined for invalid JSON', () => {
  expect(parsedWithoutCoordinates('1 Elm St')).toBeUndefined();
});
