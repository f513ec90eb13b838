import { Random, seedOf } from './random';

const words = (text: string): readonly string[] => text.split(' ');

/** Common first names of the United States, those of older people first: more of them give. */
export const FIRST_NAMES = words(
  'MARY JOHN ROBERT LINDA JAMES PATRICIA WILLIAM BARBARA RICHARD SUSAN DAVID CAROL MICHAEL NANCY DONALD KAREN THOMAS ' +
    'SANDRA RONALD SHARON GARY DONNA JUDITH KENNETH STEVEN DIANE KATHLEEN CHARLES JANET LARRY JOYCE GEORGE CAROLYN ' +
    'PAUL SHIRLEY MARK DEBORAH EDWARD BETTY STEPHEN JEAN DENNIS MARGARET BRUCE DOROTHY GERALD HELEN ROGER RUTH ' +
    'JOSEPH CYNTHIA JEFFREY PAMELA DANIEL REBECCA ALAN CHERYL GREGORY MARTHA PETER BRENDA KEVIN JANE DOUGLAS LAURA ' +
    'BRIAN LISA TIMOTHY KIMBERLY CHRISTOPHER MICHELLE ERIC JULIE SCOTT ANGELA ANTHONY MARIA MATTHEW AMY JASON ' +
    'JENNIFER ELIZABETH SARAH ANDREW MELISSA JESSICA STEPHANIE NICOLE RYAN RACHEL JOSHUA AMANDA NICHOLAS EMILY ' +
    'BENJAMIN LAUREN SAMUEL HANNAH JUAN JOSE ALEXANDER TAYLOR JASMINE JACOB KAYLA ASHLEY TYLER MORGAN CHLOE ETHAN',
);

export const SURNAMES = words(
  'SMITH JOHNSON BROWN JONES DAVIS MILLER WILSON GARCIA MOORE TAYLOR ANDERSON THOMAS WHITE MARTIN RODRIGUEZ THOMPSON ' +
    'CLARK LEWIS MARTINEZ WALKER HALL YOUNG ALLEN HERNANDEZ KING WRIGHT HILL SCOTT GREEN LOPEZ ADAMS NGUYEN BAKER ' +
    'CARTER NELSON MITCHELL ROBERTS CAMPBELL TURNER PHILLIPS PARKER GONZALEZ EVANS EDWARDS COLLINS STEWART LEE MORRIS ' +
    'PEREZ ROGERS REED COOK MORGAN KIM BELL MURPHY BAILEY COOPER RICHARDSON SANCHEZ COX HOWARD WARD PETERSON GRAY ' +
    'JAMES WATSON BROOKS KELLY PATEL SANDERS PRICE BENNETT WOOD BARNES ROSS HENDERSON MEYER COLEMAN PERRY POWELL LONG ' +
    'CHEN PATTERSON HUGHES BUTLER WASHINGTON SIMMONS FOSTER BRYANT WANG ALEXANDER RUSSELL GRIFFIN HAYES TRAN RAMIREZ ' +
    "TORRES FLORES RIVERA GOMEZ DIAZ SINGH YANG WONG KHAN O'BRIEN O'CONNOR SCHMIDT COHEN GOLDBERG KAPLAN SHAPIRO KATZ " +
    'ROSENBERG MCCARTHY SULLIVAN GALLAGHER KOWALSKI NOVAK RUSSO ROMANO OKAFOR MENSAH BEGAY YAZZIE QUILLFEATHER ' +
    'ZYWOCINSKI THISTLEBROOK',
);

/** In Latin-1, as the files have them. */
const ACCENTED_SURNAMES = words('MUÑOZ NÚÑEZ PEÑA GARCÍA MÜLLER');
const ACCENTED_FIRST_NAMES = words('JOSÉ MARÍA RENÉE ANDRÉ ZOË');

const EMPLOYERS = [
  'RETIRED',
  'NOT EMPLOYED',
  'SELF-EMPLOYED',
  'SELF',
  'COUNTY SCHOOL DISTRICT',
  'RIVERSIDE GENERAL HOSPITAL',
  'ACORN & OAK LLC',
  'STATE UNIVERSITY',
  'INFORMATION REQUESTED',
  'N/A',
  '',
] as const;

const OCCUPATIONS = [
  'RETIRED',
  'NOT EMPLOYED',
  'ATTORNEY',
  'TEACHER',
  'PHYSICIAN',
  'ENGINEER',
  'HOMEMAKER',
  'CONSULTANT',
  'REGISTERED NURSE',
  'SOFTWARE DEVELOPER',
  'INFORMATION REQUESTED PER BEST EFFORTS',
  '',
] as const;

/** Three digits: the first of the ZIP. */
type SamplePlace = readonly [city: string, state: string, zip3: string];

const PLACES = [
  ['SPRINGFIELD', 'IL', '627'],
  ['BROOKLYN', 'NY', '112'],
  ['LOS ANGELES', 'CA', '900'],
  ['SAN FRANCISCO', 'CA', '941'],
  ['HOUSTON', 'TX', '770'],
  ['AUSTIN', 'TX', '787'],
  ['MIAMI', 'FL', '331'],
  ['TAMPA', 'FL', '336'],
  ['PHILADELPHIA', 'PA', '191'],
  ['COLUMBUS', 'OH', '432'],
  ['ATLANTA', 'GA', '303'],
  ['CHARLOTTE', 'NC', '282'],
  ['DETROIT', 'MI', '482'],
  ['BOSTON', 'MA', '021'],
  ['SEATTLE', 'WA', '981'],
  ['DENVER', 'CO', '802'],
  ['PHOENIX', 'AZ', '850'],
  ['MINNEAPOLIS', 'MN', '554'],
  ['MADISON', 'WI', '537'],
  ['WASHINGTON', 'DC', '200'],
  ['SAN JUAN', 'PR', '009'],
  ['HONOLULU', 'HI', '968'],
] as const satisfies readonly SamplePlace[];

/**
 * In the five states whose counties the shipped reference sample knows: addresses here get a county and its income
 * where files are imported without the marker of a sample.
 */
export const PLACES_WITH_COUNTIES = [
  ['HARTFORD', 'CT', '061'],
  ['BRIDGEPORT', 'CT', '066'],
  ['NEW HAVEN', 'CT', '065'],
  ['WILMINGTON', 'DE', '198'],
  ['DOVER', 'DE', '199'],
  ['HONOLULU', 'HI', '968'],
  ['HILO', 'HI', '967'],
  ['MANCHESTER', 'NH', '031'],
  ['CONCORD', 'NH', '033'],
  ['PROVIDENCE', 'RI', '029'],
  ['NEWPORT', 'RI', '028'],
] as const satisfies readonly SamplePlace[];

/** A synthetic donor. Latin-1 text. */
export interface SamplePerson {
  readonly last: string;
  readonly first: string;
  readonly middle: string;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly employer: string;
  readonly occupation: string;
}

const STREETS = ['MAIN ST', 'OAK AVE', '2ND ST APT 4', 'ELM DR'] as const;
const ODDITIES = ['="SELF"', '+1 CONSULTING', '@HOME', '-', 'THE "BIG" STORE'] as const;
/** How much more often older people give than younger ones: see Random.pickEarly. */
const OLD_FIRST = 1.3;
const YOUTH = new Map(
  FIRST_NAMES.map((name, index, { length }) => [name, 2 * (index / length) ** (1 / OLD_FIRST) - 1]),
);
const TITLES = ['MR.', 'MRS.', 'MS.', 'DR.'] as const;

/** Donor number so-and-so of a seed: always the same one, so that no list is needed. */
export function samplePerson(seed: number, number: number, places: readonly SamplePlace[] = PLACES): SamplePerson {
  const random = new Random(seedOf(seed, number));
  const isAccented = random.isDrawn(0.02);
  const [city, state, area] = random.pick(places);
  return {
    last: isAccented ? random.pick(ACCENTED_SURNAMES) : random.pickEarly(SURNAMES),
    first: isAccented ? random.pick(ACCENTED_FIRST_NAMES) : random.pickEarly(FIRST_NAMES, OLD_FIRST),
    middle: random.isDrawn(0.3) ? String.fromCharCode(65 + random.integerBelow(26)) : '',
    street: `${1 + random.integerBelow(9000)} ${random.pick(STREETS)}`,
    city,
    state,
    zip: zipOf(area, random),
    employer: withOddity(random.pickEarly(EMPLOYERS), random),
    occupation: withOddity(random.pickEarly(OCCUPATIONS), random),
  };
}

/** -1 to 1, as many below zero as above: how young a first name is among those of donors. */
export const youthOf = ({ first }: SamplePerson): number => YOUTH.get(first) ?? 0;

/** Nine digits or five mostly; others as filers leave them. */
function zipOf(area: string, random: Random): string {
  const nine = area + String(random.integerBelow(1_000_000)).padStart(6, '0');
  if (random.isDrawn(0.6)) return nine;
  return nine.slice(0, random.isDrawn(0.96) ? 5 : random.integerBelow(10));
}

/** What a spreadsheet would take for a formula, and what a reader of quoted text would stumble over. */
const withOddity = (text: string, random: Random): string =>
  random.isDrawn(0.01) ? random.pick([...ODDITIES, `"${text}`]) : text;

/** SURNAME, GIVEN NAMES as filers write it: with titles, suffixes, nicknames, couples and trailing blanks. */
export function filedNameOf({ last, first, middle }: SamplePerson, random: Random): string {
  const name = `${last}, ${first}${middle === '' ? '' : ` ${middle}`}`;
  if (!random.isDrawn(0.12)) return name;
  return random.pick([
    `${name}  `,
    `${name}.`,
    `${name} ${random.pick(TITLES)}`,
    `${name} JR`,
    `${name} "BUD"`,
    `${last}, ${first} & PAT`,
    `${last}, ${random.pick(TITLES)} ${first}`,
  ]);
}
