const UNIT_WORDS: ReadonlySet<string> = new Set(
  'APT APARTMENT UNIT STE SUITE # FL FLOOR RM ROOM BLDG BUILDING LOT SPC TRLR PMB PH'.split(' '),
);
/** What names a unit: it holds a digit or is one letter. Longer words are names: the street RUE STE MARIE has no suite. */
const UNIT_ID = /^(?:[A-Z]|[A-Z]*\d[A-Z\d]*)$/;
/** Written as one word: APT4B. */
const GLUED_UNIT = /^(?:APT|UNIT|STE|SUITE|FL|RM|BLDG|LOT|PH)\d[A-Z\d]*$/;
/** An id may be two words: APT 3-B. */
const MOST_ID_WORDS = 2;

/**
 * A folded street without the units at its end: APT 3, UNIT B, STE 200, # 4, APT # 4, APT 3 B, BLDG C APT 3.
 * The geocoder does not look at them, and two units of a house are not two questions.
 */
export function withoutUnit(street: string): string {
  let end = street.length;
  let nameEnd: number | undefined;
  for (let start = unitStart(street, end); start > 0; start = unitStart(street, end)) {
    nameEnd ??= endOfName(street);
    if (start < nameEnd) break;
    end = start;
  }
  return street.slice(0, end);
}

/** Where the last unit before `end` begins, at the blank before it; -1 where there is none. */
function unitStart(street: string, end: number): number {
  let wordEnd = end;
  for (let idWords = 0; idWords <= MOST_ID_WORDS; idWords++) {
    const blank = street.lastIndexOf(' ', wordEnd - 1);
    if (blank <= 0) return -1;
    const word = street.slice(blank + 1, wordEnd);
    if (idWords === 0 && GLUED_UNIT.test(word)) return blank;
    if (idWords > 0 && UNIT_WORDS.has(word)) return word === '#' ? beforeUnitWord(street, blank) : blank;
    if (!UNIT_ID.test(word)) return -1;
    wordEnd = blank;
  }
  return -1;
}

/** APT # 4: the word before the number sign belongs to the unit too. */
function beforeUnitWord(street: string, end: number): number {
  const blank = street.lastIndexOf(' ', end - 1);
  return blank > 0 && UNIT_WORDS.has(street.slice(blank + 1, end)) ? blank : end;
}

/**
 * End of the first word behind the house number that can be a street's name: of two or more characters, not all digits.
 * What comes earlier is never left out, for in 12345 RM 620 or 1200 FL 60 the road itself is called so.
 * @returns Infinity where there is no such word
 */
function endOfName(street: string): number {
  let start = /^\d/.test(street) ? street.indexOf(' ') + 1 : 0;
  for (;;) {
    const blank = street.indexOf(' ', start);
    const end = blank < 0 ? street.length : blank;
    if (end - start > 1 && /\D/.test(street.slice(start, end))) return end;
    if (blank < 0) return Infinity;
    start = blank + 1;
  }
}
