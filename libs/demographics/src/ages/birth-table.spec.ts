import { PackedKeyIndex } from '../names/key-index';
import { birthTable } from '../../../../test/support/reference-data/synthetic-tables';
import { type BirthTable, GendersByBirths, cellsOf, clearSexOf, frequentNames, inverseBirths } from './birth-table';

it('frequentNames sorts by births of both sexes over all years, and ties in table order', () => {
  const births: BirthTable = {
    firstYear: 2000,
    lastYear: 2001,
    names: PackedKeyIndex.build(['ana', 'ben', 'cam', 'dee']),
    rowStart: Uint32Array.of(0, 0, 1, 3, 3, 4, 5, 5, 6), // cells of males, then of females, for each name
    yearOffset: Uint8Array.of(0, 0, 1, 0, 0, 1),
    count: Uint32Array.of(10, 20, 20, 5, 5, 10),
  };
  expect(frequentNames(births, 4)).toEqual(['ben', 'ana', 'cam', 'dee']);
  expect(frequentNames(births, 1)).toEqual(['ben']);
});

it('a name has a clear sex if that sex has at least nine tenths of its births', () => {
  const births = birthTable({
    ann: { m: { 2000: 10 }, f: { 2000: 60, 2001: 30 } },
    bob: { m: { 2000: 60, 2001: 30 }, f: { 2000: 10 } },
    chris: { m: { 2000: 89 }, f: { 2000: 10 } },
    dana: { m: { 2000: 10 }, f: { 2000: 89 } },
  });
  const sexOf = (name: string) => clearSexOf(births, births.names.find(name));
  expect(['ann', 'bob', 'chris', 'dana', 'unknown'].map(sexOf)).toEqual(['f', 'm', null, null, null]);
  expect(['ann', 'bob', 'dana'].map((name) => cellsOf(births, births.names.find(name)))).toEqual([3, 3, 2]);
});

it('the gender of a name is the sex with more births', () => {
  const genders = new GendersByBirths(
    birthTable({
      ann: { m: { 2000: 9 }, f: { 1950: 5, 2000: 5 } },
      bo: { m: { 1980: 6 }, f: { 2000: 5 } },
      cy: { m: { 1990: 5 }, f: { 2000: 5 } },
    }),
  );
  for (let query = 0; query < 2; query++)
    expect([0, 1, 2].map((name) => genders.genderOf(name))).toEqual(['f', 'm', undefined]);
});

it('inverseBirths sums the births of all names by sex and year', () => {
  const births = birthTable(
    { ann: { m: { 2001: 10 }, f: { 2000: 60, 2001: 30 } }, bob: { m: { 2001: 40 }, f: { 2001: 20 } } },
    2000,
    2002,
  );
  expect([...inverseBirths(births)]).toEqual([...[0, 1 / 50, 0], ...[1 / 60, 1 / 50, 0]]);
});
