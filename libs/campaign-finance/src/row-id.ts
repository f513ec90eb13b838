import { createHash } from 'node:crypto';

/**
 * Row id of a row of an electronic filing, which has no SUB_ID: 63 bits of a SHA-256, negative so that it differs from
 * any SUB_ID.
 * @param fileNum - FEC file number, or its negative substitute
 * @returns bigint as text
 */
export function rowIdOfFiled(committeeId: string, fileNum: string, tranId: string): string {
  const digest = createHash('sha256').update(`${committeeId}|${fileNum}|${tranId}`, 'utf8').digest();
  const id = digest.readBigUInt64BE(0) >> 1n;
  return id === 0n ? '-1' : `-${id}`;
}
