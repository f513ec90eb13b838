import { TruthFileError, readTruthFile } from './truth-file';

const rowsOf = (text: string, options = {}) => readTruthFile(Buffer.from(text), options);

describe('a truth file', () => {
  it('gives completed years on the date of the row, before and after the birthday', () => {
    const rows = rowsOf('First Name,birthday,Date\nAda,1950-06-15,2010-06-14\nAda,1950-06-15,2010-06-15\n');
    expect(rows.map(({ age }) => age)).toEqual([59, 60]);
    expect(rows[0].item).toEqual({ first_name: 'Ada', birthday: '1950-06-15', date: '2010-06-14' });
  });

  it('has one date for all rows, or a date column', () => {
    const file = 'first_name,dob,born_again\nAda,02/29/1960,03/01/2020\n';
    expect(rowsOf(file, { date: '2020-02-28' })[0]).toMatchObject({ age: 59, item: { date: '2020-02-28' } });
    expect(rowsOf(file, { date: 'Born Again' })[0]).toMatchObject({ age: 60, item: { date: '2020-03-01' } });
  });

  it.each([
    ['2011-01-01', '2010-01-01', null], // born after the date
    ['1850-01-01', '2010-01-01', null], // 160 years old
    ['1950-02-30', '2010-01-01', null],
    ['', '2010-01-01', null],
    ['1950-01-01', '', null],
  ])('has no age if a date is missing or invalid: %s, %s', (born, on, age) => {
    expect(rowsOf(`first_name,birth_date,date\nAda,${born},${on}\n`)[0].age).toBe(age);
  });

  it('accepts sex and race in several spellings; others are unknown', () => {
    const rows = rowsOf(
      'surname,first_name,sex,race,age,date\nA,B,Female,Black or African American,41,2010-01-01\nA,B,M,api,x,2010-01-01\nA,B,U,Other,,\n',
    );
    expect(rows.map(({ gender, race, age }) => [gender, race, age])).toEqual([
      ['f', 'black', 41],
      ['m', 'api', null],
      [null, null, null],
    ]);
  });

  it.each([
    ['09003000200', '09003000200'],
    ['1400000US09003000200', '09003000200'],
    ['090030002001', '09003000200'], // block group
    ['090030002001000', '09003000200'], // block
    ['000200', null],
    ['', null],
  ])('has the tract of a GEOID: %j', (geoid, tract) => {
    expect(rowsOf(`surname,race,GEOID\nLee,white,${geoid}\n`)[0].geoid).toBe(tract);
  });

  it('has groups by column, with any of four delimiters and a byte order mark', () => {
    expect(rowsOf('\uFEFFname;sex;Committee ID\nLEE, ANN;f;C1\n')[0]).toMatchObject({ group: 'C1', gender: 'f' });
    expect(rowsOf('name|sex|team\nLEE, ANN|f|T\n', { group: 'team' })[0].group).toBe('T');
    expect(rowsOf('name\tsex\nLEE\tf\n')[0].group).toBe('');
  });

  it.each([
    ['first_name,birth_date\nAda,1950-01-01\n', {}, 'with a date'],
    ['first_name,race\nAda,white\n', {}, 'needs first_name, surname'],
    ['surname,gender\nLee,f\n', {}, 'its columns: surname, gender'],
    ['', {}, 'needs first_name'],
    ['first_name,sex\nAda,f\n', { group: 'team' }, 'there is no column team'],
    ['first_name,sex\nAda\n', {}, 'not a CSV file'],
  ])('names the columns that it needs: %j', (text, options, message) => {
    expect(() => rowsOf(text, options)).toThrow(TruthFileError);
    expect(() => rowsOf(text, options)).toThrow(message);
  });
});
