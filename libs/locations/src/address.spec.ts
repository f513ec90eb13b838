import fc from 'fast-check';
import { type PostalAddress, normalisedAddress, sentAddress, unsendableReason } from './address';

const SAMPLE: PostalAddress = { street: '12 Elm Street', city: 'Springfield', state: 'IL', zip: '62701' };
const address = (parts: Partial<PostalAddress>): PostalAddress => ({ ...SAMPLE, ...parts });
const street = (text: string): string => normalisedAddress(address({ street: text })).split('|')[0];
const refusalOf = (parts: Partial<PostalAddress>) => unsendableReason(address(parts));

describe('the form of an address that is hashed', () => {
  it('is street, city, state and five digits, in capital letters', () => {
    expect(normalisedAddress({ street: ' 12  Elm St. ', city: 'San José', state: 'ca', zip: '95112-0420' })).toBe(
      '12 ELM ST|SAN JOSE|CA|95112',
    );
  });

  it.each([
    ['12 Elm St., Apt. 3', '12 ELM ST'],
    ['12 Elm St Unit B', '12 ELM ST'],
    ['12 Elm St Ste 200', '12 ELM ST'],
    ['12 Elm St #4', '12 ELM ST'],
    ['12 Elm St # 4', '12 ELM ST'],
    ['12 Elm St Apt #4', '12 ELM ST'],
    ['12 Elm St Apt4B', '12 ELM ST'],
    ['12 Elm St Apt 3-B', '12 ELM ST'],
    ['12 Elm St Fl 2', '12 ELM ST'],
    ['12 Elm St Rm 5', '12 ELM ST'],
    ['12 Elm St, Bldg C, Apt 3', '12 ELM ST'],
    ['12 5th Apt 3', '12 5TH'],
    ['12 Elm Rd Lot 5', '12 ELM RD'],
    ['12 K St NW Fl 2', '12 K ST NW'],
    ['12 Elm Rd Ste 12, Fl 3', '12 ELM RD'], // behind a suite a floor is one
    ['1200 State Rd FL 60 Apt 3', '1200 STATE RD FL 60'],
    ['1200 County Rd 5 # 7', '1200 COUNTY RD 5'],
    ['Elm House Unit 7', 'ELM HOUSE'],
  ])('omits the unit of %s', (text, kept) => expect(street(text)).toBe(kept));

  it.each([
    ['40 Rue Ste Marie', '40 RUE STE MARIE'], // a saint, no suite
    ['12345 RM 620', '12345 RM 620'], // a ranch-to-market road of Texas
    ['12345 N RM 620', '12345 N RM 620'],
    ['1200 FL 60', '1200 FL 60'],
    ['1200 State Rd FL 60', '1200 STATE RD FL 60'],
    ['1200 State Rd FL # 60', '1200 STATE RD FL # 60'],
    ['12 Old RM 620', '12 OLD RM 620'],
    ['12 Old RM620', '12 OLD RM620'],
    ['12 Elm St # 4 N', '12 ELM ST # 4 N'], // a direction of the street, most likely
    ['12 Elm St Lot 4 B', '12 ELM ST LOT 4 B'],
    ['1200 County Road #4', '1200 COUNTY ROAD # 4'], // a road's number, no unit's
    ['1200 Hwy # 60', '1200 HWY # 60'],
    ['RR 2 Box #5', 'RR 2 BOX # 5'],
    ['RR 2 #5', 'RR 2 # 5'],
    ['Unit 5', 'UNIT 5'],
    ['12 Highway 4', '12 HIGHWAY 4'],
    ['12 Elm St Apt', '12 ELM ST APT'],
    ['12 Avenue B', '12 AVENUE B'],
    ['9 Route 9 W', '9 ROUTE 9 W'],
    ['12 Penthouse Lot Lane', '12 PENTHOUSE LOT LANE'],
    ['RR 2 Box 5', 'RR 2 BOX 5'],
  ])('keeps all of %s', (text, kept) => expect(street(text)).toBe(kept));

  it('separates numbers that punctuation separates', () => {
    const streets = ['37-12 Elm St', '3712 Elm St', '12.5 Elm St', '125 Elm St', '12½ Elm St', '121 2 Elm St'];
    expect(new Set(streets.map(street)).size).toBe(streets.length);
  });

  it('writes initials and names with an apostrophe in one word', () => {
    expect(street("12 O'Neil Ave. N.W.")).toBe('12 ONEIL AVE NW');
    expect(street('12 O’Neil Ave NW')).toBe('12 ONEIL AVE NW');
  });

  it.each([
    ['illinois', 'IL'],
    ['Ill.', 'IL'],
    ['Calif.', 'CA'],
    ['N. Y.', 'NY'],
    ['W. Va.', 'WV'],
    ['Illinois USA', 'IL'],
    ['IL, United States', 'IL'],
    ['Illinios', 'ILLINIOS'], // no state of ours
    ['USA', ''],
    ['Ontario', 'ONTARIO'],
    ['ZZ', 'ZZ'],
    ['FM', 'FM'],
    ['AE', 'AE'],
    ['New York', 'NY'],
    ['N.Y.', 'NY'],
    ['D.C.', 'DC'],
    ['District of Columbia', 'DC'],
    ['U.S. Virgin Islands', 'VI'],
  ])('reads the state %s as %s', (state, code) =>
    expect(normalisedAddress(address({ state })).split('|')[2]).toBe(code),
  );

  it.each([
    ['62701-1234', '62701'],
    ['627011234', '62701'],
    ['62701-', '62701'],
    [' 62701 1234', '62701'],
    ['2138', '02138'],
    ['21381234', '02138'],
    ['2138-1234', '02138'],
    ['2138-12', '02138'],
    ['62701-12', '62701'],
    ['62799-34', '62799'],
    ['62701 12', '62701'],
    ['627 01', '62701'],
    ['601', '00601'],
    ['00000', ''],
    ['000', ''],
    ['12', ''],
    ['', ''],
  ])('reads the ZIP %j as %j in a domestic state', (zip, five) =>
    expect(normalisedAddress(address({ zip })).split('|')[3]).toBe(five),
  );

  it('does not read a short number as a ZIP without a domestic state', () => {
    expect(normalisedAddress(address({ state: '', zip: '8001' })).split('|')[3]).toBe('');
  });
});

describe('an address that is not geocoded', () => {
  it('is blank without a street, or without both ZIP and city with state', () => {
    expect(refusalOf({ street: '' })).toBe('blank');
    expect(refusalOf({ street: ' --- ' })).toBe('blank');
    const none =
      'N/A, n.a., NA, #N/A, None, NULL, unknown, Address Unknown, Not Provided, No Address, Information Requested, INFO REQUESTED, INFORMATION REQUESTED PER BEST EFFORTS';
    for (const street of none.split(', ')) expect([street, refusalOf({ street })]).toEqual([street, 'blank']);
    for (const street of ['1 Unknown Rd', 'Nada Ln', 'None Such Rd', 'N A St', '12 Na'])
      expect([street, refusalOf({ street })]).toEqual([street, null]);
    expect(refusalOf({ street: '中山路' })).toBe('blank'); // nothing of it is left in the geocoder's letters
    expect(refusalOf({ zip: '', city: '北京' })).toBe('blank');
    expect(refusalOf({ street: '１２ Elm' })).toBeNull();
    expect(refusalOf({ street: '１２' })).toBeNull();
    expect(refusalOf({ street: 'Øster' })).toBeNull();
    expect(refusalOf({ zip: '', city: '' })).toBe('blank');
    expect(refusalOf({ zip: '', state: '' })).toBe('blank');
    expect(refusalOf({ zip: '00000', state: '' })).toBe('blank');
    expect(refusalOf({ zip: '' })).toBeNull();
    expect(refusalOf({ city: '' })).toBeNull();
    expect(refusalOf({ city: '', state: '' })).toBeNull();
  });

  it.each(
    [
      'PO Box 12, P.O. Box 12, P. O. BOX 12, p.o.box12, P O BOX 12, PO BOX, P.O. Box #12, POB 12, P.O.B. 12, P0 Box 12',
      'PO BX 12, P/O Box 12, PO-Box 12, Post Office Box 12, Postal Box 12, P.O. Drawer 12, PO Drawer A, Drawer 12',
      'Box 12, BOX 12-A, Box #12, PO 12, c/o Elm House PO Box 12, PO Box 12 Elm Station, Elm Avenue PO Box 12, PO Box 12 Apt 3',
    ].flatMap((line) => line.split(', ')),
  )('is a post office box: %s', (text) => expect(refusalOf({ street: text })).toBe('po_box'));

  it.each([
    'RR 2 Box 5',
    'HC 61 Box 12',
    '12 Boxwood Ln',
    'Boxwood',
    '12 Po Boxer Rd',
    '12 Depot Box Rd',
    '1 Drawer Ln',
  ])('is not one with a house in it: %s', (text) => expect(refusalOf({ street: text })).toBeNull());

  it.each([
    [{ state: 'ZZ', zip: '' }],
    [{ state: 'ON', zip: 'M5V 2T6' }],
    [{ state: '', city: 'London', zip: 'SW1A 1AA' }],
    [{ state: 'Ontario', zip: '' }],
    [{ state: 'Ontario', zip: '00000' }],
    [{ state: 'ZZ' }],
    [{ state: 'FM', zip: '96941' }],
    [{ state: 'Bayern', zip: '80331' }],
    [{ zip: 'K1A 0B1' }],
  ])('is foreign: %j', (parts) => expect(refusalOf(parts)).toBe('foreign'));

  it.each(['AS', 'GU', 'MP', 'PR', 'VI', 'DC', 'Puerto Rico'])('is not foreign in %s', (state) =>
    expect(refusalOf({ state, zip: '00901' })).toBeNull(),
  );

  it.each([
    [{ state: 'AE', zip: '09012' }],
    [{ state: 'ap', city: 'FPO' }],
    [{ state: 'AA' }],
    [{ state: 'NY', city: 'A.P.O.' }],
    [{ state: '', city: 'DPO AE', zip: '09012' }],
  ])('is military: %j', (parts) => expect(refusalOf(parts)).toBe('military'));

  it.each(['Ill.', 'Calif.', 'Illinois USA'])('is not foreign in %s', (state) =>
    expect(refusalOf({ state })).toBeNull(),
  );

  it('is not military in a city with a similar name', () => {
    expect(refusalOf({ city: 'Apopka', state: 'FL' })).toBeNull();
  });
});

describe('an address as it is sent', () => {
  it('is as written, with five digits of a ZIP+4 and the code of the state', () => {
    const written = { street: " 12 O'Neil St, Apt 3 ", city: 'East  Elm', state: 'new york', zip: '10001-1234' };
    expect(sentAddress(written)).toEqual({
      street: "12 O'Neil St, Apt 3",
      city: 'East  Elm',
      state: 'NY',
      zip: '10001',
    });
  });

  it('has the ZIP and state that are hashed, also if a spreadsheet has damaged them', () => {
    expect(sentAddress(address({ state: 'ma', zip: '2138' }))).toMatchObject({ state: 'MA', zip: '02138' });
    expect(sentAddress(address({ zip: '00000' }))).toMatchObject({ state: 'IL', zip: '' });
  });

  it('is one line, without characters that a database or CSV cannot store', () => {
    const written = { street: '12 Elm\0St\r\nApt 3', city: 'East\u2028Elm', state: 'New\tYork', zip: '62701\n' };
    expect(sentAddress(written)).toEqual({ street: '12 Elm St Apt 3', city: 'East Elm', state: 'NY', zip: '62701' });
  });
});

describe('any address', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(..."aZ09 .,-#/'’½éß"), maxLength: 40 }),
    fc.constantFrom('12 Elm St', 'PO Box 5', 'APT 3', 'Ste 5 # 4', 'D.C.', '62701-1234', '2138', 'apo ae', ''),
  );
  const anything = fc.record({ street: part, city: part, state: part, zip: part });
  const house = fc.integer({ min: 1, max: 99_999 });
  const name = fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzÀéñßO'), {
    minLength: 2,
    maxLength: 12,
  });

  it('has a hashed form that does not change when it is folded again', () => {
    fc.assert(
      fc.property(anything, (given) => {
        const once = normalisedAddress(given);
        const [streetPart, city, state, zip] = once.split('|');
        expect(once.split('|')).toHaveLength(4);
        expect(normalisedAddress({ street: streetPart, city, state, zip })).toBe(once);
        expect([null, 'blank', 'po_box', 'foreign', 'military']).toContain(unsendableReason(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('is sent with the ZIP and state of its key, so equal keys request the same', () => {
    const states = fc.constantFrom('MA', 'ma', 'Massachusetts', 'Mass.', 'M A', 'Ill', 'USA', 'Illinios', '');
    const digits = fc.stringMatching(/^[0-9]{0,5}([- ]?[0-9]{0,4})$/);
    const given = fc.record({ street: part, city: part, state: fc.oneof(part, states), zip: fc.oneof(part, digits) });
    fc.assert(
      fc.property(given, (one) => {
        fc.pre(unsendableReason(one) === null);
        const { state, zip } = sentAddress(one);
        const [, , keyState, keyZip] = normalisedAddress(one).split('|');
        expect([state, zip]).toEqual([keyState, keyZip]);
        expect(zip).toMatch(/^(?:[0-9]{5})?$/);
        expect(state).toMatch(/^(?:[A-Z]{2})?$/);
        expect(normalisedAddress(sentAddress(one))).toBe(normalisedAddress(one));
      }),
      { numRuns: 2000 },
    );
  });

  it('has a street in letters that a geocoder reads, if it is geocoded', () => {
    fc.assert(
      fc.property(anything, (one) => {
        const ascii = one.street.normalize('NFKD').replace(/[øæœłđß]/gi, 'o');
        expect(unsendableReason(one) !== null || /[a-z0-9]/i.test(ascii)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is the same in any case, with any blanks, and with commas after its words', () => {
    fc.assert(
      fc.property(house, name, fc.constantFrom(' ', '  ', ', ', ' . ', '\t'), (number, letters, gap) => {
        const text = `${number} ${letters.join('')} st`;
        const plain = normalisedAddress(address({ street: text, city: 'east elm' }));
        const other = address({ street: ` ${text.toUpperCase().split(' ').join(gap)}${gap}`, city: `East${gap}ELM ` });
        expect(normalisedAddress(other)).toBe(plain);
        expect(unsendableReason(other)).toBe(unsendableReason(address({ street: text, city: 'east elm' })));
      }),
    );
  });

  it('differs from that of another house in its street, for any units', () => {
    const unit = fc.constantFrom('', ' Apt 3', ' #4', ' Unit B', ' Ste 12, Fl 3');
    fc.assert(
      fc.property(house, house, name, unit, unit, (one, other, letters, unitOne, unitOther) => {
        fc.pre(one !== other);
        const on = (number: number, end: string) => street(`${number} ${letters.join('')} st${end}`);
        expect(on(one, unitOne)).not.toBe(on(other, unitOther));
        expect(on(one, unitOne)).toBe(on(one, unitOther));
      }),
    );
  });

  it.each([
    ['blanks', ' '],
    ['marks', '\u0301'],
    ['marks of two kinds', '\u0301\u0327'],
    ['apostrophes', "'"],
    ['number signs', '# '],
    ['units', '#1 '],
    ['ids', '1 '],
    ['single letters', 'A '],
    ['words', 'P O '],
    ['boxes', 'PO BO'],
    ['digits', '1'],
  ])('is folded in linear time: %s', (_, piece) => {
    const long = piece.repeat(300_000 / piece.length);
    const parts = address({ street: `1 AB ${long}`, city: long, state: long, zip: long });
    expect(normalisedAddress(parts).split('|')).toHaveLength(4); // in square time the suite would not end
    unsendableReason(parts);
  });
});
