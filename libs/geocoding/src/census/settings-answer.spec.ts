import { readBenchmarks, readVintages, refusedSettingMessage } from './json-answer';

const benchmarks = JSON.stringify({
  benchmarks: [
    { id: '4', benchmarkName: 'Public_AR_Current', benchmarkDescription: 'Current', isDefault: true },
    { id: 2020, benchmarkName: 'Public_AR_Census2020', isDefault: false },
  ],
});

it('accepts a benchmark by name or number', () => {
  const known = readBenchmarks(benchmarks);
  expect(['Public_AR_Current', '4', '2020'].map((value) => refusedSettingMessage('benchmark', value, known))).toEqual([
    null,
    null,
    null,
  ]);
});

it('lists the known ones if one is unknown', () => {
  expect(refusedSettingMessage('benchmark', 'Public_AR_Census2010', readBenchmarks(benchmarks))).toBe(
    'the geocoder has no benchmark Public_AR_Census2010; it has Public_AR_Current, Public_AR_Census2020',
  );
});

it('lists at most a dozen', () => {
  const many = Array.from({ length: 40 }, (_, id) => ({ id, vintageName: `V${id}` }));
  expect(refusedSettingMessage('vintage', 'X', readVintages(JSON.stringify({ vintages: many })))).toMatch(
    /V11 and others$/,
  );
});

it.each(['', '{}', '{"benchmarks":[]}', '{"benchmarks":[{"id":"4","benchmarkName":"<b>"}]}', '{"errors":["no"]}'])(
  'refuses no setting if the list has another shape: %s',
  (text) => {
    expect(refusedSettingMessage('benchmark', 'X', readBenchmarks(text))).toBeNull();
    expect(refusedSettingMessage('vintage', 'X', readVintages(text))).toBeNull();
  },
);
