import { readBatch } from './batch-view';
import { previewText } from './preview';

const SHOWN = {
  delimiter: ';',
  encoding: 'windows-1252',
  columns: ['Giver Given', 'GAVE_ON', 'a "b"', "it's $5"],
  mapping: {},
  unused: ['Giver Given', 'GAVE_ON', 'a "b"', "it's $5", 'c\u001b[2Jd'],
  warnings: [{ code: 'missing_column', message: 'No column is known to hold first names: say which one does.' }],
  rows: [{ row: 1, outcome: 'invalid', result: { age: null } }],
};

describe('the text of a preview', () => {
  it('lists the columns of a file without known columns, and the option that maps them', () => {
    const text = previewText(SHOWN, 'donors.csv', 'type=age_gender').split('\n');
    expect(text.slice(0, 2)).toEqual(['delimiter: semicolon', 'encoding: windows-1252']);
    expect(text).toContain(
      `unused columns, kept in the results: "Giver Given", GAVE_ON, 'a "b"', 'it'\\''s $5', "c [2Jd"`,
    );
    expect(text).toContain('warning: No column is known to hold first names: say which one does.');
    expect(text).toContainEqual(
      expect.stringMatching(
        /^assign it with --map FIELD=COLUMN, as in --map first_name="Giver Given"; FIELD is id, .*zip/,
      ),
    );
    expect(text.at(-1)).toBe('row 1: invalid');
  });

  it('ends with the command that submits the file with the same options and columns', () => {
    const mapping = { first_name: 'Giver Given', date: "it's $5" };
    const query = 'type=age_gender&min_age=18&map.date=x&map.surname=';
    expect(previewText({ ...SHOWN, mapping, unused: null, warnings: [] }, 'my files/donors.csv', query)).toBe(
      [
        'delimiter: semicolon',
        'encoding: windows-1252',
        '',
        'FIELD       IS READ FROM',
        'first_name  Giver Given',
        "date        it's $5",
        '',
        'row 1: invalid',
        '',
        'submit it as shown here with:',
        '  bin/donorlens batch submit "my files/donors.csv" --type age_gender --min-age 18 ' +
          `--map first_name="Giver Given" --map date='it'\\''s $5' --map surname=`,
      ].join('\n'),
    );
  });

  it('is not made from the response of another service', () => {
    expect(() => readBatch({ hello: 'world' })).toThrow(/^the answer of the service has an unexpected form: .* --url/);
  });
});
