/** A wave of popularity: names that rose and fell together, with the share of births at the peak of the wave. */
export interface NameWave {
  readonly sex: 'F' | 'M';
  /** Year of most births, and standard deviation of the wave in years. */
  readonly peak: number;
  readonly spread: number;
  /** name:births per 10,000 births of its sex in the peak year */
  readonly names: string;
}

/**
 * Names by the decade in which each was most popular, after the SSA's page of top names by decade
 * (https://www.ssa.gov/oact/babynames/decades/), grouped into a few waves. The shares are synthetic round numbers that
 * only keep the order of size. A name in two waves has two peaks; a name under both sexes is given to both.
 */
export const NAME_WAVES: readonly NameWave[] = [
  {
    sex: 'F',
    peak: 1885,
    spread: 17,
    names:
      'Minnie:130 Bertha:110 Clara:130 Emma:160 Bessie:110 Nellie:100 Ida:110 Elsie:70 Fannie:60 Mattie:60 Myrtle:70 ' +
      'Maude:50 Lena:50 Effie:40 Nettie:35 Lula:45 Daisy:50 Hattie:55 Cora:65 Agnes:70',
  },
  {
    sex: 'F',
    peak: 1918,
    spread: 14,
    names:
      'Mary:480 Helen:330 Dorothy:340 Margaret:250 Ruth:240 Mildred:170 Anna:190 Frances:150 Marie:140 Alice:130 ' +
      'Florence:130 Irene:110 Evelyn:130 Louise:110 Lillian:120 Virginia:140 Edna:95 Gladys:90 Ethel:80 Thelma:90 ' +
      'Hazel:80 Rose:90 Grace:75 Lucille:80 Edith:80 Pauline:70 Esther:70 Beatrice:60 Josephine:70 Gertrude:60',
  },
  {
    sex: 'F',
    peak: 1938,
    spread: 9,
    names:
      'Betty:330 Barbara:310 Shirley:240 Joan:150 Nancy:210 Carol:190 Doris:110 Patricia:300 Joyce:130 Marilyn:100 ' +
      'Beverly:100 Norma:80 Phyllis:80 Lois:80 Peggy:70 Wanda:55 Jean:130 Marjorie:60 Elaine:50 Arlene:35',
  },
  {
    sex: 'F',
    peak: 1951,
    spread: 8,
    names:
      'Linda:430 Mary:310 Deborah:230 Susan:250 Sandra:190 Sharon:180 Karen:190 Donna:150 Judith:110 Kathleen:110 ' +
      'Diane:120 Janet:100 Carolyn:100 Brenda:130 Pamela:140 Gloria:70 Janice:90 Judy:90 Cheryl:100 Rebecca:75 ' +
      'Cynthia:130 Martha:70 Kathy:80 Bonnie:55 Jane:60 Gail:60 Marsha:30 Paula:60 Connie:55 Rita:45',
  },
  {
    sex: 'F',
    peak: 1966,
    spread: 7,
    names:
      'Lisa:280 Kimberly:200 Michelle:190 Tammy:110 Laura:100 Lori:110 Angela:160 Teresa:80 Julie:105 Dawn:80 ' +
      'Tina:85 Denise:65 Wendy:60 Maria:80 Robin:60 Debra:110 Theresa:55 Rhonda:50 Kelly:90 Jill:50 Sheila:45 ' +
      'Tracy:80 Stacy:45 Leslie:35 Regina:30',
  },
  {
    sex: 'F',
    peak: 1979,
    spread: 6,
    names:
      'Jennifer:370 Amy:210 Melissa:220 Heather:160 Stephanie:150 Nicole:150 Jessica:230 Elizabeth:130 Sarah:150 ' +
      'Amanda:200 Rachel:80 Christina:90 Erin:65 Jamie:75 Crystal:95 Andrea:75 Katherine:75 Megan:85 Tara:45 April:65',
  },
  {
    sex: 'F',
    peak: 1994,
    spread: 7,
    names:
      'Ashley:230 Brittany:160 Samantha:140 Emily:130 Taylor:110 Hannah:110 Kayla:95 Alexis:85 Lauren:95 Victoria:85 ' +
      'Courtney:75 Jasmine:75 Danielle:80 Chelsea:60 Morgan:60 Jordan:45 Casey:20 Abigail:75 Madison:90',
  },
  {
    sex: 'F',
    peak: 2013,
    spread: 8,
    names:
      'Emma:105 Olivia:100 Sophia:105 Isabella:100 Ava:85 Mia:75 Charlotte:60 Amelia:50 Harper:45 Evelyn:50 Clara:18 ' +
      'Elsie:12 Hazel:25 Riley:35 Avery:45 Chloe:65 Zoey:40 Lily:45 Nora:30 Luna:35 Penelope:30 Aria:35 Hailey:30 ' +
      'Quinn:15 Grace:60',
  },
  {
    sex: 'M',
    peak: 1885,
    spread: 18,
    names:
      'Frank:250 George:300 Harry:170 Walter:180 Fred:140 Albert:140 Clarence:130 Louis:110 Arthur:140 Henry:180 ' +
      'Charles:320 Elmer:70 Herman:60 Otto:45 Oscar:60 Chester:55 Clyde:45 Luther:35 Grover:25 Homer:35',
  },
  {
    sex: 'M',
    peak: 1922,
    spread: 13,
    names:
      'John:480 William:430 James:440 Robert:470 Joseph:250 Edward:210 Thomas:180 Paul:130 Raymond:140 Harold:120 ' +
      'Jack:110 Kenneth:110 Ralph:85 Howard:75 Eugene:80 Carl:80 Earl:65 Stanley:60 Ernest:60 Leonard:55 Norman:55 ' +
      'Francis:50 Melvin:50 Alfred:45 Roy:70 Willie:70 Theodore:40 Herbert:55 Bernard:35 Lawrence:60',
  },
  {
    sex: 'M',
    peak: 1944,
    spread: 9,
    names:
      'Richard:330 Donald:200 Ronald:200 Larry:190 Jerry:130 Gerald:110 Dennis:130 Roger:110 Wayne:75 Billy:80 Bobby:65 ' +
      'Jimmy:75 Johnny:70 Gene:30 Dale:50 Douglas:120 Harvey:25 Carol:4 Marvin:45 Glenn:45',
  },
  {
    sex: 'M',
    peak: 1954,
    spread: 9,
    names:
      'Michael:420 David:400 Steven:230 Mark:250 Gary:190 John:330 Robert:350 James:360 William:270 Stephen:130 ' +
      'Bruce:95 Gregory:130 Daniel:150 Timothy:150 Alan:70 Randy:80 Terry:90 Keith:85 Craig:65 Philip:55 Danny:60 ' +
      'Jeffrey:180 Kevin:150 Peter:75 Leslie:18 Patrick:85',
  },
  {
    sex: 'M',
    peak: 1975,
    spread: 9,
    names:
      'Christopher:320 Jason:290 Brian:190 Eric:150 Scott:150 Anthony:140 Matthew:210 Todd:70 Chad:65 Shawn:70 Sean:75 ' +
      'Aaron:80 Adam:100 Jeremy:95 Nathan:70 Troy:45 Derek:40 Travis:55 Marcus:45 Jamie:30 Casey:25 Robin:5 Kelly:12',
  },
  {
    sex: 'M',
    peak: 1993,
    spread: 8,
    names:
      'Joshua:200 Andrew:190 Ryan:150 Nicholas:160 Tyler:160 Brandon:150 Zachary:130 Justin:140 Kyle:95 Jacob:170 ' +
      'Austin:110 Cody:85 Jordan:95 Alexander:120 Samuel:80 Dylan:75 Jose:80 Juan:60 Taylor:30 Benjamin:80 Christian:75',
  },
  {
    sex: 'M',
    peak: 2013,
    spread: 9,
    names:
      'Noah:90 Liam:95 Mason:85 Ethan:85 Jayden:75 Elijah:70 Aiden:70 Logan:65 Lucas:65 Oliver:65 Jackson:60 Carter:45 ' +
      'Henry:50 Wyatt:45 Owen:45 Luke:40 Levi:40 Mateo:40 Gabriel:55 Riley:10 Avery:10 Quinn:8 Theodore:45 Oscar:12 Leo:35',
  },
];
