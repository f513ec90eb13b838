/** USPS abbreviations of common words in street lines. Source: USPS Publication 28, appendices B and C. */

const abbreviations = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(/\s+/).flatMap((entry) => {
      const [short, ...longs] = entry.split('=') as [string, ...string[]];
      return [short, ...longs].map((word): [string, string] => [word, short]);
    }),
  );

export const DIRECTIONS = abbreviations(
  'N=NORTH S=SOUTH E=EAST W=WEST NE=NORTHEAST NW=NORTHWEST SE=SOUTHEAST SW=SOUTHWEST',
);

export const SUFFIXES = abbreviations(
  'ALY=ALLEY AVE=AVENUE=AV BLVD=BOULEVARD BYP=BYPASS CIR=CIRCLE CT=COURT CV=COVE DR=DRIVE EXPY=EXPRESSWAY ' +
    'HTS=HEIGHTS HWY=HIGHWAY LN=LANE LOOP PARK PKWY=PARKWAY PATH PIKE PL=PLACE PLZ=PLAZA PT=POINT RD=ROAD RDG=RIDGE ' +
    'ROW RUN SQ=SQUARE ST=STREET=STR TER=TERRACE TPKE=TURNPIKE TRL=TRAIL WALK WAY XING=CROSSING',
);

export const ORDINALS = abbreviations(
  '1ST=FIRST 2ND=SECOND 3RD=THIRD 4TH=FOURTH 5TH=FIFTH 6TH=SIXTH 7TH=SEVENTH 8TH=EIGHTH 9TH=NINTH 10TH=TENTH',
);

/** The matched address leaves out these words and what follows them. */
export const UNIT_WORDS: ReadonlySet<string> = new Set(
  'APT APARTMENT UNIT SUITE STE FLOOR ROOM RM BLDG BUILDING LOT PENTHOUSE PH PO BOX POB PMB C/O'.split(' '),
);
