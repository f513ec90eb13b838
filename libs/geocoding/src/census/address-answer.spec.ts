import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';
import { GeocoderError } from '../geocoder-error';
import { readAddressAnswer } from './json-answer';

const POINT = { INTPTLAT: '+40.2287614', INTPTLON: '-074.9321745', CENTLAT: '+40.2287615', CENTLON: '-074.9321746' };
const geographies = {
  'Census Blocks': [{ GEOID: '420171045012003', BLOCK: '2003', ...POINT }],
  Counties: [{ GEOID: '42017', NAME: 'Bucks County', ...POINT }],
  'Census Tracts': [{ GEOID: '42017104501', ...POINT }],
  States: [{ GEOID: '42', ...POINT }],
};
const match = (layers: object | undefined = geographies, matchedAddress: unknown = '1 ELM ST, NEWTOWN, PA, 18940') => ({
  matchedAddress,
  coordinates: { x: -74.9321747, y: 40.2287616 },
  geographies: layers,
});
const answer = (...addressMatches: object[]): string => JSON.stringify({ result: { input: {}, addressMatches } });
const first = (layers: object) => readAddressAnswer(answer(match(layers)))[0];
const thrown = (text: string): unknown => {
  try {
    return readAddressAnswer(text);
  } catch (error) {
    return error;
  }
};

it('reads every candidate with its county, tract and block', () => {
  expect(readAddressAnswer(answer(match(), match(geographies, '1 ELM CT, NEWTOWN, PA, 18940')))).toEqual([
    { matchedAddress: '1 ELM ST, NEWTOWN, PA, 18940', fips: '42017', tract: '104501', block: '2003' },
    { matchedAddress: '1 ELM CT, NEWTOWN, PA, 18940', fips: '42017', tract: '104501', block: '2003' },
  ]);
});

it('finds the block layer of any year', () => {
  const { 'Census Blocks': blocks, ...rest } = geographies;
  for (const name of ['2010 Census Blocks', '2020 Census Blocks', 'Census Blocks'])
    expect(first({ ...rest, [name]: blocks })).toMatchObject({ block: '2003' });
});

it('uses the next coarser layer if a finer one is empty or missing', () => {
  const { Counties, 'Census Tracts': tracts } = geographies;
  expect(first({ 'Census Blocks': [], 'Census Tracts': tracts, Counties })).toMatchObject({
    fips: '42017',
    tract: '104501',
    block: null,
  });
  expect(first({ Counties })).toMatchObject({ fips: '42017', tract: null, block: null });
  expect(first({})).toMatchObject({ fips: null, tract: null, block: null });
});

it('returns no candidates without a match', () => {
  expect(readAddressAnswer(answer())).toEqual([]);
});

it('treats a failed layer as a transient error, not as a missing geography', () => {
  const status = [{ status: 'Layer query encountered an error: 1 Elm St' }];
  for (const name of ['Census Blocks', 'Counties', 'States']) {
    const error = thrown(answer(match({ ...geographies, [name]: status })));
    expect(error).toMatchObject({ code: 'layer_error' });
    expect((error as Error).message).not.toContain('Elm');
  }
  expect(thrown(answer(match({ ...geographies, 'Census Tracts': status[0] })))).toMatchObject({ code: 'layer_error' });
});

it.each([
  '',
  'null',
  '{}',
  '<html></html>',
  '{"result":{"addressMatches":{}}}',
  '{"errors":["Specified benchmark was not found"],"status":"400"}',
  answer(match(geographies, null)),
  answer(match(geographies, '-74.9321747,40.2287616')),
  '['.repeat(500_000),
])('refuses another shape (%#)', (text) => {
  expect(thrown(text)).toMatchObject({ code: 'not_json' });
});

it('has no coordinates', () => {
  const shown = JSON.stringify(readAddressAnswer(answer(match(), match())));
  for (const digits of ['22876', '93217', '074', '40.2']) expect(shown).not.toContain(digits);
});

it('throws only its own error for any input', () => {
  const anything = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary-ascii' }),
    fc.object().map((some) => answer(match(some))),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const got = thrown(text);
      expect(Array.isArray(got) || got instanceof GeocoderError).toBe(true);
    }),
  );
});

describeWith('official data')('the recorded answers', () => {
  const recorded = (name: string) =>
    readAddressAnswer(readFileSync(join(OFFICIAL_DATA, 'census/geocoder', name), 'utf8'));

  it('are read with either name of the block layer', () => {
    expect(recorded('geographies-address.json')).toMatchObject([{ fips: '11001', tract: '006202', block: '1031' }]);
    expect(recorded('geographies-address-two-matches.json')).toEqual([
      { matchedAddress: expect.stringMatching(/20037$/), fips: '11001', tract: '006202', block: '1036' },
      { matchedAddress: expect.stringMatching(/20502$/), fips: '11001', tract: '006202', block: '1031' },
    ]);
  });

  it('are candidates without a geography if none was requested', () => {
    expect(recorded('locations-address.json')).toMatchObject([{ fips: null, tract: null, block: null }]);
  });
});
