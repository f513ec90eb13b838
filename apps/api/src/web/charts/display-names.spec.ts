import { candidateName, candidateSurname, committeeName, displayName } from './display-names';

describe('the name of a candidate on a page', () => {
  it.each([
    ['CLINTON, HILLARY RODHAM / TIMOTHY MICHAEL KAINE', 'Hillary Clinton'],
    ['SANDERS, BERNARD', 'Bernard Sanders'],
    ['TRUMP, DONALD J.', 'Donald J. Trump'],
    ['BUSH, GEORGE W', 'George W. Bush'],
    ['ROMNEY, W MITT / PAUL D. RYAN', 'W. Mitt Romney'],
    ['VANCE, J.D.', 'J.D. Vance'],
    ['BIDEN, JOSEPH R JR', 'Joseph R. Biden Jr.'],
    ['GORE JR., ALBERT', 'Albert Gore Jr.'],
    ['PEROT, H ROSS SR.', 'H. Ross Perot Sr.'],
    ['ROCKEFELLER, JOHN DAVISON IV', 'John Rockefeller IV'],
    ['DAVIS, LEE III', 'Lee Davis III'],
    ['SMITH, ANN II', 'Ann Smith II'],
    ['MCCAIN, JOHN S', 'John S. McCain'],
    ['MACARTHUR, DOUGLAS', 'Douglas MacArthur'],
    ['MACK, CONNIE', 'Connie Mack'],
    ['MACHADO, ANA', 'Ana Machado'],
    ["O'ROURKE, ROBERT BETO", "Robert O'Rourke"],
    ["D'ANGELO, PAT", "Pat D'Angelo"],
    ['OCASIO-CORTEZ, MARY-ANN', 'Mary-Ann Ocasio-Cortez'],
    ['DE LA FUENTE, ROQUE "ROCKY"', 'Roque De La Fuente'],
    ['PAUL, RAND DR.', 'Rand Paul'],
    ['NG, WEI', 'Wei Ng'],
    ['GARCÍA, JOSÉ', 'José García'],
    ['McMullin, Evan', 'Evan McMullin'],
    ['PRINCE', 'Prince'],
    ['DOE,', 'Doe'],
    ['', ''],
  ])('of %s is %s', (filed, shown) => expect(candidateName(filed)).toBe(shown));

  it('is only the surname next to a line', () => {
    expect(candidateSurname('CLINTON, HILLARY RODHAM / TIMOTHY MICHAEL KAINE')).toBe('Clinton');
    expect(candidateSurname('GORE JR., ALBERT')).toBe('Gore');
    expect(candidateSurname('DE LA FUENTE, ROQUE')).toBe('De La Fuente');
    expect(candidateSurname('PRINCE')).toBe('Prince');
  });
});

describe('the name of a committee on a page', () => {
  it.each([
    ['HILLARY FOR AMERICA', 'Hillary for America'],
    ['BERNIE 2016', 'Bernie 2016'],
    ['DONALD J. TRUMP FOR PRESIDENT, INC.', 'Donald J. Trump for President, Inc.'],
    ['AT&T INC. FEDERAL PAC (AT&T PAC)', 'AT&T Inc. Federal PAC (AT&T PAC)'],
    ['CEO ACTION / PG&E, SMITH&JONES', 'CEO Action / PG&E, Smith&Jones'],
    ['MAKE AMERICA GREAT AGAIN COMMITTEE', 'Make America Great Again Committee'],
    ['MCCAIN-PALIN VICTORY 2008', 'McCain-Palin Victory 2008'],
    ['FRIENDS OF THE 21ST CENTURY', 'Friends of the 21st Century'],
    ['THE WOMEN’S FUND', 'The Women’s Fund'],
    ["WORKERS' VOICE", "Workers' Voice"],
    ['TEA PARTY PAC', 'Tea Party PAC'],
    ['U.S. VALUES (USA)', 'U.S. Values (USA)'],
    ['RNC VICTORY FUND', 'RNC Victory Fund'],
    ['NRCC TRUST', 'NRCC Trust'],
    ['LEE DAVIS III FOR SENATE', 'Lee Davis III for Senate'],
    ['DR. BEN CARSON JR FUND', 'Dr. Ben Carson Jr Fund'],
    ['AFL-CIO FUND OF NY', 'AFL-CIO Fund of NY'],
    ['AMERICANS FOR START-UPS', 'Americans for Start-Ups'],
    ['MI FAMILIA VOTA WI-FI', 'Mi Familia Vota Wi-Fi'],
    ["THE NRCC'S IL-WI FUND", "The NRCC's IL-WI Fund"],
    ["L.L.C. O'ROURKE", "L.L.C. O'Rourke"],
    ['Jeb 2016, Inc.', 'Jeb 2016, Inc.'],
  ])('of %s is %s', (filed, shown) => expect(committeeName(filed)).toBe(shown));
});

it('the id determines the format of a name; control characters are removed', () => {
  expect(displayName('C00575795', 'FRIENDS, LEE')).toBe('Friends, Lee');
  expect(displayName('P00003392', 'LEE,\u0001PAT')).toBe('Pat Lee');
});

it('a display name adds only dots, and omits only middle names, nicknames and titles', () => {
  const surnames = ['CLINTON', "O'NEIL", 'MCCOY', 'LA RUE', 'X'];
  const given = ['ANN', 'J', 'J ANN', 'ANN J', 'ANN LEE', 'ANN JR'];
  for (const surname of surnames)
    for (const first of given) {
      const shown = candidateName(`${surname}, ${first}`).toUpperCase().replaceAll('.', '');
      const filed = new Set(`${surname} ${first}`.split(' '));
      expect(shown.split(' ').filter((word) => !filed.has(word))).toEqual([]);
      expect(shown).toContain(surname);
    }
});
