const NAMED_BY_NUMBER = /(?:^|[/\\])(\d{1,9})\.fec$/i;

/** Number of a filing by the name that the FEC publishes it under, `1385191.fec`; null for another name. */
export const fileNumberIn = (name: string): string | null =>
  NAMED_BY_NUMBER.exec(name)?.[1].replace(/^0+(?=\d)/, '') ?? null;

/** What stands for the number of a filing that has none: negative, and always the same for the same bytes. */
export const standInNumber = (sha256: Buffer): string => String(-(sha256.readUIntBE(0, 6) + 1));
