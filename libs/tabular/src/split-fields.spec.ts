import { splitFields } from './csv-text';

describe('fields of a record', () => {
  it.each<[string, string[]]>([
    ['', ['']],
    ['a', ['a']],
    ['a,,b', ['a', '', 'b']],
    ['"a,b",c', ['a,b', 'c']],
    ['"a",', ['a', '']],
    [',"a"', ['', 'a']],
    ['"",""', ['', '']],
    ['"a ""b""",c', ['a "b"', 'c']],
    ['a"b,c"d', ['a"b', 'c"d']],
    ['"a"b,c', ['ab', 'c']],
    ['"never closed, b', ['never closed, b']],
    ['"', ['']],
  ])('are read with their quotes: %s', (record, fields) => {
    expect(splitFields(record, ',', true)).toEqual(fields);
  });

  it('are split at each delimiter if quotes are ordinary characters', () => {
    expect(splitFields('"a|b"|c', '|', false)).toEqual(['"a', 'b"', 'c']);
  });
});
