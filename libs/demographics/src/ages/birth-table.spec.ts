import { PackedKeyIndex } from '../names/key-index';
import { birthTable } from '../../../../test/support/reference-data/synthetic-tables';
import { type BirthTable, cellsOf, clearSexOf, frequentNames } from './birth-table';

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
