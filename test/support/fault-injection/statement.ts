import { createHash } from 'node:crypto';

const SHOWN = 70;
const WRITES =
  /\b(insert into|delete from|truncate|copy [\s\S]* from stdin|create (temp |unlogged )?(table|index)|drop|alter|vacuum|analyze|merge into)\b|(?<!\bfor |\bno key |\bdo )\bupdate\s+(?!of\b|skip\b|nowait\b|set\b)/i;

/** Replaces numbers and ids, so that statements that differ only in values are equal. */
export function normalised(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/'[0-9a-f]{8}-[0-9a-f-]{27}'/gi, "'#'")
    .replaceAll(/(?<![$\w])\d+\b/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The beginning of the statement and a digest. */
export function nameOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text} [${digest}]`;
}

export const isWrite = (sql: string): boolean => WRITES.test(sql);

export type Step = 'begin' | 'commit' | 'rollback' | 'other';

export function stepOf(sql: string): Step {
  if (/^\s*(begin|start transaction)\b/i.test(sql)) return 'begin';
  if (/^\s*(commit|end)\b/i.test(sql)) return 'commit';
  return /^\s*rollback\b(?! to)/i.test(sql) ? 'rollback' : 'other';
}
