import { AMBIGUOUS_NAME, CONTRIBUTION_FIELDS, FIELD_NAMES, foldedFieldName } from './contribution-field';

const fieldOf = (name: string) =>
  CONTRIBUTION_FIELDS.find((field) => FIELD_NAMES[field].includes(foldedFieldName(name)));

describe('names of the fields of a contribution', () => {
  it('are folded, begin with the field’s own, and belong to one field each', () => {
    const names = Object.values(FIELD_NAMES).flat();
    expect(names).toEqual(names.map(foldedFieldName));
    expect(new Set([...names, AMBIGUOUS_NAME]).size).toBe(names.length + 1);
    expect(Object.entries(FIELD_NAMES).map(([, [own]]) => own)).toEqual([...CONTRIBUTION_FIELDS]);
  });

  it('include the usual names of the two lines of a street', () => {
    expect(['contributor_street_1', 'Address', 'ADDRESS 1', 'Address Line 1'].map(fieldOf)).toEqual(
      Array(4).fill('street'),
    );
    expect(['contributor_street_2', 'Address-2', 'street2', 'Address Line 2'].map(fieldOf)).toEqual(
      Array(4).fill('street_2'),
    );
    expect(['Apt', 'Unit', 'Town'].map(fieldOf)).toEqual(['street_2', 'street_2', 'city']);
    expect(['Postal', 'Postal Code'].map(fieldOf)).toEqual(['zip', 'zip']);
  });

  it('include the usual names of the date', () =>
    expect(['Gift Date', 'Date Received', 'receipt-date'].map(fieldOf)).toEqual(Array(3).fill('date')));

  it('include the usual names of donor names', () => {
    expect(['First', 'Donor First', 'Donor First Name', 'Given / Preferred Name'].map(fieldOf)).toEqual(
      Array(4).fill('first_name'),
    );
    expect(['Last', 'Donor Last', 'Donor Last Name'].map(fieldOf)).toEqual(Array(3).fill('surname'));
    expect(fieldOf('Donor Name')).toBe('contributor_name');
  });
});
