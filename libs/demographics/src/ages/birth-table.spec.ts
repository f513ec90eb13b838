import { PackedKeyIndex } from '../names/key-index';
import { type BirthTable, frequentNames } from './birth-table';

it('the most frequent first names have the most births of both sexes over all years, equal ones in the order of the table', () => {
  const births: BirthTable = {
    firstYear: 2000,
    lastYear: 2001,
    names: PackedKeyIndex.build(['ana', 'ben', 'cam', 'dee']),
    rowStart: Uint32Array.of(0, 0, 1, 3, 3, 4, 5, 5, 6), // of each name the cells of males, then those of females
    yearOffset: Uint8Array.of(0, 0, 1, 0, 0, 1),
    count: Uint32Array.of(10, 20, 20, 5, 5, 10),
  };
  expect(frequentNames(births, 4)).toEqual(['ben', 'ana', 'cam', 'dee']);
  expect(frequentNames(births, 1)).toEqual(['ben']);
});
