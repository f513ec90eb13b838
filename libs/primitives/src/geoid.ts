/** County code of five digits: state (2) and county (3). Text, because `06037` starts with a zero and means it. */
export type Fips = string;

export const isFips = (text: string): text is Fips => /^\d{5}$/.test(text);
