/** A state or territory with up to three of its counties. */
export interface State {
  readonly usps: string;
  /** Two digits. */
  readonly fips: string;
  readonly name: string;
  /** A point in the state: degrees east and north. */
  readonly lon: number;
  readonly lat: number;
  readonly counties: readonly County[];
}
export interface County {
  /** Three digits. */
  readonly code: string;
  readonly name: string;
}

/**
 * Codes and names: INCITS 31 and 38 (Census Bureau, ANSI and FIPS codes, 2010), in ASCII. Only counties with the same
 * code and name in 2020. The points are rounded to a degree.
 */
const LINES = `
AL 01 -87 33 Alabama|073 Jefferson County|089 Madison County|097 Mobile County
AK 02 -150 61 Alaska|020 Anchorage Municipality|090 Fairbanks North Star Borough
AZ 04 -112 33 Arizona|013 Maricopa County|019 Pima County
AR 05 -92 35 Arkansas|007 Benton County|119 Pulaski County
CA 06 -118 34 California|037 Los Angeles County|073 San Diego County|075 San Francisco County
CO 08 -105 40 Colorado|031 Denver County|041 El Paso County
CT 09 -73 42 Connecticut|001 Fairfield County|003 Hartford County|009 New Haven County
DE 10 -76 39 Delaware|001 Kent County|003 New Castle County|005 Sussex County
DC 11 -77 39 District of Columbia|001 District of Columbia
FL 12 -81 28 Florida|057 Hillsborough County|086 Miami-Dade County|095 Orange County
GA 13 -84 34 Georgia|089 DeKalb County|121 Fulton County
HI 15 -158 21 Hawaii|001 Hawaii County|003 Honolulu County|009 Maui County
ID 16 -116 44 Idaho|001 Ada County|027 Canyon County
IL 17 -88 42 Illinois|031 Cook County|043 DuPage County
IN 18 -86 40 Indiana|003 Allen County|097 Marion County
IA 19 -94 42 Iowa|113 Linn County|153 Polk County
KS 20 -95 39 Kansas|091 Johnson County|173 Sedgwick County
KY 21 -86 38 Kentucky|067 Fayette County|111 Jefferson County
LA 22 -90 30 Louisiana|033 East Baton Rouge Parish|071 Orleans Parish
ME 23 -70 44 Maine|005 Cumberland County|019 Penobscot County
MD 24 -77 39 Maryland|005 Baltimore County|031 Montgomery County|510 Baltimore city
MA 25 -71 42 Massachusetts|017 Middlesex County|025 Suffolk County
MI 26 -83 42 Michigan|125 Oakland County|163 Wayne County
MN 27 -93 45 Minnesota|053 Hennepin County|123 Ramsey County
MS 28 -90 32 Mississippi|047 Harrison County|049 Hinds County
MO 29 -91 39 Missouri|095 Jackson County|189 St. Louis County|510 St. Louis city
MT 30 -109 46 Montana|063 Missoula County|111 Yellowstone County
NE 31 -96 41 Nebraska|055 Douglas County|109 Lancaster County
NV 32 -115 36 Nevada|003 Clark County|031 Washoe County
NH 33 -71 43 New Hampshire|011 Hillsborough County|013 Merrimack County|015 Rockingham County
NJ 34 -74 41 New Jersey|003 Bergen County|013 Essex County
NM 35 -107 35 New Mexico|001 Bernalillo County|013 Dona Ana County
NY 36 -74 41 New York|047 Kings County|061 New York County|081 Queens County
NC 37 -79 36 North Carolina|119 Mecklenburg County|183 Wake County
ND 38 -97 47 North Dakota|015 Burleigh County|017 Cass County
OH 39 -82 41 Ohio|035 Cuyahoga County|049 Franklin County
OK 40 -97 35 Oklahoma|109 Oklahoma County|143 Tulsa County
OR 41 -123 45 Oregon|039 Lane County|051 Multnomah County
PA 42 -75 40 Pennsylvania|003 Allegheny County|101 Philadelphia County
RI 44 -71 42 Rhode Island|003 Kent County|007 Providence County|009 Washington County
SC 45 -81 34 South Carolina|045 Greenville County|079 Richland County
SD 46 -97 44 South Dakota|099 Minnehaha County|103 Pennington County
TN 47 -87 36 Tennessee|037 Davidson County|157 Shelby County
TX 48 -97 31 Texas|113 Dallas County|201 Harris County|453 Travis County
UT 49 -112 41 Utah|035 Salt Lake County|049 Utah County
VT 50 -73 44 Vermont|007 Chittenden County|021 Rutland County
VA 51 -77 38 Virginia|013 Arlington County|059 Fairfax County|760 Richmond city
WA 53 -122 48 Washington|033 King County|063 Spokane County
WV 54 -82 38 West Virginia|039 Kanawha County|061 Monongalia County
WI 55 -88 43 Wisconsin|025 Dane County|079 Milwaukee County
WY 56 -105 41 Wyoming|021 Laramie County|025 Natrona County
GU 66 145 13 Guam|010 Guam
PR 72 -66 18 Puerto Rico|113 Ponce Municipio|127 San Juan Municipio
VI 78 -65 18 U.S. Virgin Islands|010 St. Croix Island|030 St. Thomas Island
`;

export const STATES: readonly State[] = LINES.trim().split('\n').map(state);

function state(line: string): State {
  const [head, ...counties] = line.split('|') as [string, ...string[]];
  const [usps, fips, lon, lat, ...name] = head.split(' ') as [string, string, string, string, ...string[]];
  return { usps, fips, name: name.join(' '), lon: Number(lon), lat: Number(lat), counties: counties.map(county) };
}

function county(text: string): County {
  return { code: text.slice(0, 3), name: text.slice(4) };
}

/** Replaced Connecticut's counties in 2022 (Census Bureau, 2022 changes to county equivalents). */
const PLANNING_REGIONS: readonly County[] = [
  { code: '110', name: 'Capitol Planning Region' },
  { code: '170', name: 'South Central Connecticut Planning Region' },
  { code: '190', name: 'Western Connecticut Planning Region' },
];

/** The counties of a state in a vintage; `Census2020_Current` still has the former counties of Connecticut. */
export function countiesOf({ usps, counties }: State, vintage: string): readonly County[] {
  const [, year] = /^(?:ACS|Census)(\d{4})/.exec(vintage) ?? [];
  return usps === 'CT' && Number(year ?? 9999) >= 2022 ? PLANNING_REGIONS : counties;
}
