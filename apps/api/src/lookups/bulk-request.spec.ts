import { preferencesOf } from './bulk-request';

it.each([
  [undefined, false, undefined],
  ['respond-async', true, undefined],
  ['Respond-Async, wait=10', true, 10],
  ['wait="5"; foo', false, 5],
  [['handling=lenient', 'respond-async'], true, undefined],
  ['respond-asynchronously, wait=soon', false, undefined],
])('reads Prefer: %p', (header, respondAsync, waitSeconds) => {
  expect(preferencesOf(header)).toEqual({ respondAsync, waitSeconds });
});
