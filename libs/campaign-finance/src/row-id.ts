import { createHash } from 'node:crypto';

/**
 * Id of a row of an electronic filing, which has no SUB_ID: 63 bits of a SHA-256, negative as SUB_IDs are positive.
 * @param fileNum - number of the filing, or the negative substitute if its number is unknown
 * @returns a bigint as text
 */
export function rowIdOfFiled(committeeId: string, fileNum: string, tranId: string): string {
  const digest = createHash('sha256').update(`${committeeId}|${fileNum}|${tranId}`, 'utf8').digest();
  const id = digest.readBigUInt64BE(0) >> 1n;
  return id === 0n ? '-1' : `-${id}`;
}
