import { crc32 } from 'node:zlib';

type Census = 2000 | 2010;

/** Surnames that are common in the same communities, and the mix around which their percentages vary in the model. */
interface Community {
  /** Bearers of the first name of the list; those of later names follow a power of their rank (Zipf). */
  readonly most: number;
  /** Percent white, black, api, aian, two or more races, hispanic. */
  readonly mix: readonly [number, number, number, number, number, number];
  readonly names: string;
}

/**
 * Three hundred common surnames of the country, in groups. The percentages come from a model and not from the Census:
 * each name varies around the mix of its group. They demonstrate the service and describe no real person.
 */
const COMMUNITIES: readonly Community[] = [
  {
    most: 2_400_000,
    mix: [71, 22, 0.6, 0.9, 2.5, 3],
    names:
      'SMITH JOHNSON BROWN JONES DAVIS MILLER WILSON MOORE TAYLOR ANDERSON THOMAS WHITE MARTIN THOMPSON CLARK LEWIS ' +
      'WALKER HALL ALLEN YOUNG KING WRIGHT SCOTT HILL GREEN ADAMS NELSON BAKER CARTER MITCHELL ROBERTS TURNER PHILLIPS ' +
      'CAMPBELL PARKER EVANS EDWARDS COLLINS STEWART MORRIS ROGERS REED COOK MORGAN BELL MURPHY BAILEY COOPER ' +
      'RICHARDSON COX HOWARD WARD PETERSON GRAY JAMES WATSON BROOKS KELLY SANDERS PRICE BENNETT WOOD BARNES ROSS ' +
      'HENDERSON COLEMAN PERRY POWELL LONG PATTERSON HUGHES BUTLER SIMMONS FOSTER BRYANT ALEXANDER RUSSELL GRIFFIN ' +
      'HAYES MYERS FORD HAMILTON GRAHAM SULLIVAN WALLACE WOODS COLE WEST OWENS REYNOLDS FISHER ELLIS HARRISON GIBSON ' +
      'MARSHALL WELLS WEBB STEVENS TUCKER PORTER HUNTER HICKS CRAWFORD HENRY BOYD MASON KENNEDY WARREN DIXON BURNS ' +
      'GORDON SHAW HOLMES RICE ROBERTSON HUNT BLACK DANIELS PALMER MILLS GRANT KNIGHT FERGUSON STONE HAWKINS DUNN ' +
      'PERKINS HUDSON SPENCER GARDNER STEPHENS PAYNE PIERCE BERRY MATTHEWS ARNOLD WAGNER WILLIS RAY WATKINS OLSON',
  },
  {
    most: 260_000,
    mix: [95, 0.4, 0.6, 0.3, 1.3, 2.4],
    names:
      'SCHMIDT SCHWARTZ MEYER WEBER SCHNEIDER HOFFMAN SCHULTZ KELLER BECKER KLEIN MUELLER KRAMER LARSON HANSON JENSEN ' +
      'CARLSON OBRIEN OCONNOR MCCARTHY GALLAGHER SWEENEY RUSSO ROMANO ESPOSITO MARINO KOWALSKI NOWAK COHEN GOLDBERG ' +
      'FRIEDMAN KAPLAN LEVINE ROSENBERG SHAPIRO KATZ PAPPAS NOVAK LINDGREN SORENSEN VANDERBERG DEVRIES HAAS',
  },
  {
    most: 180_000,
    mix: [9, 85, 0.4, 0.5, 2.6, 2.5],
    names:
      'WASHINGTON JEFFERSON BOOKER BANKS MOSLEY CHARLES JOSEPH DORSEY RIVERS GAINES PIERRE AUGUSTE HAIRSTON BATTLE ' +
      'CHATMAN RANDLE BLACKMON GLOVER SMALLS HINES SIMS TOUSSAINT OKAFOR DIALLO MENSAH BOLDEN YARBOROUGH',
  },
  {
    most: 1_150_000,
    mix: [5, 0.6, 1, 0.4, 0.5, 92.5],
    names:
      'GARCIA RODRIGUEZ MARTINEZ HERNANDEZ LOPEZ GONZALEZ PEREZ SANCHEZ RAMIREZ TORRES FLORES RIVERA GOMEZ DIAZ CRUZ ' +
      'MORALES REYES GUTIERREZ ORTIZ RAMOS CHAVEZ RUIZ ALVAREZ CASTILLO JIMENEZ VASQUEZ MORENO HERRERA MEDINA AGUILAR ' +
      'VARGAS CASTRO MENDEZ GUZMAN FERNANDEZ SALAZAR SOTO DELGADO ROJAS ACOSTA SANTIAGO DELACRUZ',
  },
  {
    most: 1_050_000,
    mix: [3, 0.5, 93.5, 0.2, 1.8, 1],
    names:
      'NGUYEN KIM PATEL TRAN CHEN WONG WANG LE YANG PHAM SINGH LIN CHANG LIU WU HUANG PARK CHOI SHAH CHUNG KAUR LAM ' +
      'TANAKA YAMAMOTO NAKAMURA SHARMA GUPTA REDDY VANG CHO KUMAR',
  },
  {
    most: 240_000,
    mix: [35, 17, 40, 0.9, 4.6, 2.5],
    names: 'LEE KHAN LOWE SHEN HAN',
  },
  {
    most: 22_000,
    mix: [3, 0.5, 0.3, 93, 1.2, 2],
    names: 'BEGAY YAZZIE BENALLY TSOSIE BEGAYE LOCKLEAR OXENDINE',
  },
  {
    most: 60_000,
    mix: [40, 40, 1, 1, 3, 15],
    names: 'SIMON CLAIR SANTOS DACOSTA BAPTISTE',
  },
];

/** Bearers are divided by the rank in the list to this power. */
const FALL = 0.72;
/** People with any surname in the Census: the base of prop100k. */
const PEOPLE = { 2000: 268_000_000, 2010: 294_000_000 } as const;
/** The model suppresses groups with fewer people than this, and never only one group of a row. */
const MIN_SHOWN = 40;

interface Row {
  readonly name: string;
  readonly count: number;
  readonly percents: readonly (number | null)[];
}

/** A number from 0 to 1 that depends only on the text. */
const chance = (text: string): number => crc32(Buffer.from(text, 'latin1')) / 2 ** 32;

function rowsOf(census: Census): Row[] {
  const rows = COMMUNITIES.flatMap(({ most, mix, names }) =>
    names.split(' ').map((name, place): Row => {
      const growth = census === 2000 ? 0.93 + 0.05 * chance(`${name} growth`) : 1;
      const count = Math.round((growth * most) / (place + 1) ** FALL);
      return { name, count, percents: hidden(count, percentsOf(name, census, mix)) };
    }),
  );
  return rows.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** The mix of the group with each part varied; tenths of a percent that add up to exactly 100. */
function percentsOf(name: string, census: Census, mix: Community['mix']): number[] {
  const parts = mix.map(
    (part, i) => part * (0.6 + 0.75 * chance(`${name} ${i}`) + 0.05 * chance(`${name} ${i} ${census}`)),
  );
  const total = parts.reduce((sum, part) => sum + part, 0);
  const tenths = parts.map((part) => Math.round((1000 * part) / total));
  const largest = tenths.indexOf(Math.max(...tenths));
  tenths[largest] += 1000 - tenths.reduce((sum, part) => sum + part, 0);
  return tenths.map((part) => part / 10);
}

function hidden(count: number, percents: readonly number[]): (number | null)[] {
  const smallest = [...percents].sort((a, b) => a - b);
  const few = percents.filter((percent) => (count * percent) / 100 < MIN_SHOWN).length;
  const limit = few === 0 ? -1 : smallest[Math.max(few, 2) - 1];
  return percents.map((percent) => (percent <= limit ? null : percent));
}

const HEADER = 'name,rank,count,prop100k,cum_prop100k,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic';

/** The file of a Census as published: 2000 with LF and two decimals; 2010 with CRLF, short numbers and a last row. */
export function surnameFile(census: Census): Buffer {
  const rows = rowsOf(census);
  const number = (value: number): string => (census === 2000 ? value.toFixed(2) : String(Number(value.toFixed(2))));
  const per100k = (count: number): string => number((count / PEOPLE[census]) * 100_000);
  let people = 0;
  const lines = rows.map(({ name, count, percents }) => {
    people += count;
    const rank = rows.findIndex((row) => row.count === count) + 1;
    const cells = percents.map((percent) => (percent === null ? '(S)' : number(percent)));
    return [name, rank, count, per100k(count), per100k(people), ...cells].join(',');
  });
  if (census === 2010) {
    const others = PEOPLE[2010] - people;
    lines.push(`ALL OTHER NAMES,0,${others},${per100k(others)},${per100k(others)},67,8,8,1,2,14`);
  }
  const end = census === 2000 ? '\n' : '\r\n';
  return Buffer.from([HEADER, ...lines].map((line) => line + end).join(''), 'latin1');
}
