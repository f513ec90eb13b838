const UNIT_WORDS: ReadonlySet<string> = new Set(
  'APT APARTMENT UNIT STE SUITE # FL FLOOR RM ROOM BLDG BUILDING LOT SPC TRLR PMB PH'.split(' '),
);
/**
 * The identifier of a unit has a digit or is one letter. Longer words are names: the street RUE STE MARIE has no suite.
 */
const UNIT_ID = /^(?:[A-Z]|[A-Z]*\d[A-Z\d]*)$/;
/** Written as one word: APT4B. */
const GLUED_UNIT = /^(?:APT|UNIT|STE|SUITE|FL|RM|BLDG|LOT|PH)\d[A-Z\d]*$/;
/** Units whose identifier may be two words, APT 3-B; but # 4 N is a unit and a direction of the street. */
const LONG_IDS: ReadonlySet<string> = new Set('APT APARTMENT UNIT STE SUITE #'.split(' '));
const DIRECTION = /^[NSEW]$/;

/** Also roads: FL 60 in Florida, RM 620 in Texas. They are a floor and a room only after a street's last word. */
const ROAD_TOO = /^(?:FL|RM)\d*$/;
const LAST_OF_STREET =
  /(?:^| )(?:ST|STREET|AVE?|AVENUE|BLVD|BOULEVARD|BROADWAY|DR|DRIVE|LN|LANE|CT|COURT|PL|PLACE|PLZ|PLAZA|TER|TERRACE|WAY|CIR|CIRCLE|PKWY|PARKWAY|SQ|SQUARE)(?: [NS]?[EW]?)?$/;
/** After these words a number sign belongs to the road or the box: COUNTY ROAD # 4. */
const NUMBERED =
  /(?:^| )(?:ROAD|RD|HIGHWAY|HWY|ROUTE|RTE|RT|CR|SR|CO|COUNTY|STATE|US|FM|RM|FL|RANCH|LOOP|INTERSTATE|BOX)$/;
const LONGEST_END = 16;
/** Rural routes have boxes and lots, each a location of its own. */
const RURAL = /^(?:RR|R R|RFD|HC|HCR|RURAL|STAR) /;

interface Unit {
  /** The blank before it. */
  readonly start: number;
  /** Ambiguous by itself: it is a unit only after another unit or after the end of the street. */
  readonly isDoubtful: boolean;
}

/**
 * A folded street without the units at its end: APT 3, UNIT B, STE 200, # 4, APT # 4, APT 3 B, BLDG C APT 3.
 * The geocoder ignores units, so that two units of a house need one request. In doubt it is no unit: an extra request
 * costs less than the location of another house.
 */
export function withoutUnit(street: string): string {
  let end = street.length;
  let nameEnd: number | undefined;
  for (let unit = unitBefore(street, end); unit !== null; unit = unitBefore(street, unit.start)) {
    nameEnd ??= RURAL.test(street) ? Infinity : endOfName(street);
    if (unit.start < nameEnd) break;
    if (!unit.isDoubtful) end = unit.start;
  }
  return street.slice(0, end);
}

/** The last unit before `end`; null without one. */
function unitBefore(street: string, end: number): Unit | null {
  const last = wordBefore(street, end);
  if (last === null) return null;
  if (GLUED_UNIT.test(last.text)) return unitAt(street, last);
  if (!UNIT_ID.test(last.text)) return null;
  const second = wordBefore(street, last.start);
  if (second === null) return null;
  if (UNIT_WORDS.has(second.text)) return unitAt(street, second);
  if (!UNIT_ID.test(second.text) || DIRECTION.test(last.text)) return null;
  const third = wordBefore(street, second.start);
  return third !== null && LONG_IDS.has(third.text) ? unitAt(street, third) : null;
}

/** APT # 4: the word before the number sign belongs to the unit too. */
function unitAt(street: string, word: Word): Unit {
  const before = word.text === '#' ? wordBefore(street, word.start) : null;
  const { text, start } = before !== null && before.text !== '#' && UNIT_WORDS.has(before.text) ? before : word;
  const end = street.slice(Math.max(0, start - LONGEST_END), start);
  return { start, isDoubtful: text === '#' ? NUMBERED.test(end) : ROAD_TOO.test(text) && !LAST_OF_STREET.test(end) };
}

interface Word {
  readonly text: string;
  /** The blank before it. */
  readonly start: number;
}

/** @returns null for the first word */
function wordBefore(street: string, end: number): Word | null {
  const start = street.lastIndexOf(' ', end - 1);
  return start > 0 ? { text: street.slice(start + 1, end), start } : null;
}

/**
 * End of the first word after the house number that can be a street's name: two or more characters, not all digits.
 * Text before it is never removed, because in 12345 RM 620 or 1200 FL 60 it is the name of the road.
 * @returns Infinity without such a word
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
