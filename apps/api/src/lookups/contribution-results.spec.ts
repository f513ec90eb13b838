import { NO_PLACE, contributionResult } from '@donorlens/primitives';
import fc from 'fast-check';
import { contributionText } from './contribution-results';

it('the JSON text of a contribution equals that of a batch', () => {
  const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const digits = orNull(fc.stringMatching(/^\d{4,6}$/));
  const attributes = fc.record({
    ageYears: orNull(fc.integer({ min: 0, max: 130 })),
    gender: orNull(fc.constantFrom('f', 'm')),
    race: orNull(fc.constantFrom('white', '2prace')),
    pctHundredths: orNull(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 6, maxLength: 6 })),
  });
  const place = fc.record({
    fips: digits,
    county: orNull(fc.oneof(fc.constant('Doña "Ana"'), fc.string())),
    tract: digits,
    block: digits,
    householdIncome: orNull(fc.nat()),
    addressId: orNull(fc.stringMatching(/^[0-9a-f]{32}$/)),
    status: fc.constantFrom('MATCH', 'PENDING', NO_PLACE.status),
    fipsSource: fc.constant(null),
    zipSharePct: fc.constant(null),
  });
  fc.assert(
    fc.property(attributes, place, (found, where) => {
      expect(`${contributionText(found, where)}}`).toBe(JSON.stringify(contributionResult(found, where)));
    }),
  );
});
