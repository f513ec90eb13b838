import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { emptyContribution, parseContributionDate, parseYear, postalAddress } from './contribution';

describe('donation dates', () => {
  it.each([
    '2016-03-01',
    '03012016',
    '2016-03-01T00:00:00',
    '2016-03-01T23:59:59.999+00:00',
    '2016-03-01 00:00:00',
    '3/1/2016',
    '03/01/2016',
    '3/01/2016',
  ])('%s is the first of March 2016', (text) => {
    expect(parseContributionDate(text)).toBe(civilDay(2016, 3, 1));
  });

  it.each([
    '2019-02-30',
    '02302019',
    '2/30/2019',
    '13/1/2016',
    '20x0-01-01',
    '2016-3-1',
    '1/1/16',
    '0999-01-01',
    '1/1/0999',
    'yesterday',
    '20160301',
    '2016-02-30T00:00:00',
    '2016-03-01x',
    '42430',
  ])('%s is no date', (text) => {
    expect(parseContributionDate(text)).toBeNaN();
  });

  it('years have four digits', () => {
    expect(['1000', '2005', '9999'].map(parseYear)).toEqual([1000, 2005, 9999]);
    for (const text of ['20x0', '0999', '10000', '2005.0', ' 2005', '-2005', '']) expect(parseYear(text)).toBeNaN();
  });
});

const of = (street: string, street2 = '', more: object = { city: 'Springfield', state: 'IL', zip: '62701' }) =>
  postalAddress({ ...emptyContribution(), street: street.trim(), street2: street2.trim(), ...more });

describe('an address as the client wrote it', () => {
  it('has the first line, or the second if the first is no street', () => {
    const streets = (lines: [string, string?][]) => lines.map(([first, second]) => of(first, second)?.street ?? null);
    expect(streets([['1 Elm St'], ['1 Elm St', 'Apt 2'], ['1 Elm St', '2 Oak Ave'], ['1 Elm St', 'PO Box 3']])).toEqual(
      ['1 Elm St', '1 Elm St', '1 Elm St', '1 Elm St'],
    );
    expect(
      streets([
        ['', '1 Elm St'],
        ['PO BOX 3', '1 Elm St'],
        ['N/A', '1 Elm St'],
        ['C/O Pat Doe', '1 Elm St'],
        ['c / o Doe', '1 Elm St'],
      ]),
    ).toEqual(Array(5).fill('1 Elm St'));
    expect(of('1 Elm St', 'N/A')).toMatchObject({ street: '1 Elm St' });
    expect(of('PO Box 3', 'N/A')).toMatchObject({ street: 'PO Box 3' });
    expect(
      streets([
        ['Care of Pat Doe', '1 Elm St'],
        ['ATTN: Pat Doe', '1 Elm St'],
        ['Attnborough Rd', '1 Elm St'],
      ]),
    ).toEqual(['1 Elm St', '1 Elm St', 'Attnborough Rd']);
  });

  it('does not use a second line that is only a unit of a building, or no street either', () => {
    expect(of('PO Box 3', 'Suite 200')).toMatchObject({ street: 'PO Box 3' });
    expect(of('PO Box 3', '# 4')).toMatchObject({ street: 'PO Box 3' });
    expect(of('PO Box 3', 'P.O. Box 4')).toMatchObject({ street: 'PO Box 3' });
    expect(of('PO Box 3', '5 Suite Dr')).toMatchObject({ street: '5 Suite Dr' });
    expect(of('PO Box 3', '4B')).toMatchObject({ street: 'PO Box 3' });
    expect(of('', 'Apt 2')).toBeNull();
    expect(of('', '12')).toBeNull();
  });

  it('is null without a street, or if a part is too long', () => {
    expect(of('', '')).toBeNull();
    expect(postalAddress(emptyContribution())).toBeNull();
    expect(of('1 Elm St', '', { city: 'x'.repeat(201), state: 'IL', zip: '62701' })).toBeNull();
    expect(of('x'.repeat(200))).not.toBeNull();
    expect(of('x'.repeat(201))).toBeNull();
  });

  it('has empty parts for missing fields, and no NUL', () => {
    expect(of('1 Elm\0St', '', {})).toEqual({ street: '1 Elm St', city: '', state: '', zip: '' });
  });

  it('has one of the two lines for any text', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('PO BOX 1', 'C/O X', 'APT 2', '1 ELM ST', '#', 'C/O'),
    );
    fc.assert(
      fc.property(line, line, (first, second) => {
        const lines = [first, second].map((text) => text.replaceAll('\0', ' ').trim());
        const found = of(first, second);
        if (found !== null) expect(lines.filter((text) => text !== '')).toContain(found.street);
        else expect(lines[0]).toBe('');
      }),
    );
  });
});
