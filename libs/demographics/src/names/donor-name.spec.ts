import fc from 'fast-check';
import { donorName } from './donor-name';

describe('the name of a donor', () => {
  it.each([
    ['DOE, JANE', 'DOE', 'JANE'],
    ['Doe, Jane', 'DOE', 'JANE'],
    ['DOE, JANE A', 'DOE', 'JANE'],
    ['DOE, JANE A. MS.', 'DOE', 'JANE'],
    ['DOE, MRS. JANE', 'DOE', 'JANE'],
    ['DOE, JANE  ', 'DOE', 'JANE'],
    ['DOE, JOHN JR', 'DOE', 'JOHN'],
    ['DOE, JOHN, JR.', 'DOE', 'JOHN'],
    ['DOE JR, JOHN', 'DOE', 'JOHN'],
    ['DOE, JOHN "JACK"', 'DOE', 'JOHN'],
    ['DOE, J. MARCUS', 'DOE', 'J.'],
    ['DOE, J.MARCUS', 'DOE', 'J.'],
    ['DOE, JOHN & MARY', 'DOE', 'JOHN'],
    ['DOE, MR. & MRS. JOHN', 'DOE', 'JOHN'],
    ['DOE, R & MR & JOHN', 'DOE', 'R'],
    ['DOE, . & MR & JOHN', 'DOE', 'JOHN'],
    ['DOE PA, JANE', 'DOE', 'JANE'],
    ['DOE, JANE AND BRAM', 'DOE', 'JANE'],
    ['FUND, JANE BRAM', 'FUND', 'JANE'],
    ['VAN DYKE, ANNA', 'VAN DYKE', 'ANNA'],
    ['PEÑA, JOSÉ', 'PENA', 'JOSE'],
    ["O'BRIEN, MARY", "O'BRIEN", 'MARY'],
    ['JANE DOE', 'DOE', 'JANE'],
    ['DOE', 'DOE', ''],
    ['DOE, ', 'DOE', ''],
  ])('%s has the surname %s and the given word %s', (raw, surname, given) => {
    expect(donorName(raw, 'IND')).toMatchObject({ surname, given });
  });

  it.each([
    '',
    ' ',
    ',',
    '...',
    'N/A',
    'NA',
    'None',
    'REFUSED',
    'Unknown',
    'ANONYMOUS',
    'INFORMATION REQUESTED',
    'ACORN & OAK LLC',
    'SAMPLE GROCERS PAC',
  ])('%j is not a donor', (raw) => {
    expect(donorName(raw, 'IND')).toMatchObject({ surname: '', given: '' });
  });

  it('is empty for the entity type of an organization, even if the text is a person name', () => {
    expect(donorName('DOE, JANE', 'ORG')).toMatchObject({ surname: '', given: '' });
    expect(donorName('DOE, JANE', undefined)).toMatchObject({ surname: 'DOE', given: 'JANE' });
  });

  it('is printable upper-case ASCII for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (raw) => {
        const { surname, given } = donorName(raw, 'IND');
        expect(surname + given).toMatch(/^[\x20-\x60\x7b-\x7e]*$/);
        if (surname === '') expect(given).toBe('');
      }),
    );
  });
});
