const UNIT_WORDS: ReadonlySet<string> = new Set(
  'APT APARTMENT UNIT STE SUITE # FL FLOOR RM ROOM BLDG BUILDING LOT SPC TRLR PMB PH'.split(' '),
);
/** What names a unit: it holds a digit or is one letter. Longer words are names: the street RUE STE MARIE has no suite. */
const UNIT_ID = /^(?:[A-Z]|[A-Z]*\d[A-Z\d]*)$/;
/** Written as one word: APT4B. */
const GLUED_UNIT = /^(?:APT|UNIT|STE|SUITE|FL|RM|BLDG|LOT|PH)\d[A-Z\d]*$/;
/** An id may be written as two words: APT 3-B. */
const MOST_ID_WORDS = 2;

/**
 * A folded street without the units at its end: APT 3, UNIT B, STE 200, # 4, APT # 4, APT 3 B, BLDG C APT 3.
 * The geocoder does not look at them, and two units of a house must not be two questions.
 */
export function withoutUnit(street: string): string {
  let rest = street;
  for (;;) {
    const end = unitStart(rest);
    if (end < 0 || !hasName(rest, end)) return rest;
    rest = rest.slice(0, end);
  }
}

/** Where the last unit begins: the blank before it. Negative where the street does not end in one. */
function unitStart(street: string): number {
  let end = street.length;
  for (let idWords = 0; idWords <= MOST_ID_WORDS; idWords++) {
    const blank = street.lastIndexOf(' ', end - 1);
    if (blank <= 0) return -1;
    const word = street.slice(blank + 1, end);
    if (idWords === 0 && GLUED_UNIT.test(word)) return blank;
    if (idWords > 0 && UNIT_WORDS.has(word)) return word === '#' ? beforeUnitWord(street, blank) : blank;
    if (!UNIT_ID.test(word)) return -1;
    end = blank;
  }
  return -1;
}

/** APT # 4: the word before the number sign belongs to the unit as well. */
function beforeUnitWord(street: string, end: number): number {
  const blank = street.lastIndexOf(' ', end - 1);
  return blank > 0 && UNIT_WORDS.has(street.slice(blank + 1, end)) ? blank : end;
}

/**
 * True where the street up to there has a word of two or more characters, one of them a letter, behind its house number.
 * Without one, RM 620 or FL 60 is no unit but the road itself.
 */
function hasName(street: string, end: number): boolean {
  for (const word of street.slice(street.search(AFTER_HOUSE_NUMBER), end).split(' ')) {
    if (word.length > 1 && /[^\d#]/.test(word)) return true;
  }
  return false;
}
const AFTER_HOUSE_NUMBER = /(?<=^\d[^ ]* )|^/;
