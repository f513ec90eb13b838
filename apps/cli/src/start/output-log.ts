import { join } from 'node:path';
import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { redacted } from '@donorlens/observability';

/** Writes the log lines of all processes to the screen, with the role in front, and to one file per role. */
export class OutputLog {
  private readonly files = new Map<string, LogFile>();

  constructor(
    private readonly folder: string,
    private readonly screen: { readonly pretty: boolean; readonly color: boolean; write(line: string): void },
  ) {}

  line(role: string, text: string): void {
    const line = redacted(text);
    this.screen.write(this.screen.pretty ? prettyLine(role, line, this.screen.color) : prefixedLine(role, line));
    this.file(role).line(line);
  }

  /** Writes a line of the supervisor in the format of the roles. */
  writeSupervisorLine(level: 'info' | 'warn' | 'error', msg: string): void {
    this.line('start', JSON.stringify({ level, time: new Date().toISOString(), role: 'start', msg }));
  }

  close(): void {
    for (const file of this.files.values()) file.close();
    this.files.clear();
  }

  private file(role: string): LogFile {
    const file = this.files.get(role) ?? new LogFile(join(this.folder, `${role}.log`));
    this.files.set(role, file);
    return file;
  }
}

/** Size at which a log file is rotated; one older file is kept. */
const MAX_BYTES = 5_000_000;

/** A rotated log file. Writes are synchronous, so that the last line before a crash is not lost. */
export class LogFile {
  private descriptor: number | undefined;
  private bytes = 0;

  constructor(
    private readonly path: string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  line(text: string): void {
    const data = Buffer.from(`${text}\n`);
    try {
      this.descriptor ??= this.open();
      if (this.bytes > 0 && this.bytes + data.length > this.maxBytes) this.descriptor = this.rotated(this.descriptor);
      this.bytes += writeSync(this.descriptor, data);
    } catch {
      // A full disk must not end the service. The line is also printed on the screen.
    }
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  private open(): number {
    const descriptor = openSync(this.path, 'a', 0o600);
    this.bytes = fstatSync(descriptor).size;
    return descriptor;
  }

  private rotated(full: number): number {
    // The file does not exist if the last rotation renamed it, but could not open the new one.
    if (existsSync(this.path)) renameSync(this.path, `${this.path}.1`);
    const descriptor = this.open();
    closeSync(full); // last, so that it stays valid if the rotation fails; the next line tries again
    return descriptor;
  }
}

/** ANSI colors of log levels. */
const COLOR: Record<string, string> = { warn: '33', error: '31', fatal: '31', debug: '2', trace: '2' };
const HIDDEN = new Set(['level', 'time', 'role', 'msg', 'pid', 'hostname']);
const NAME_WIDTH = 10;

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a log line; null if the line is not a JSON object. */
export function parseLogLine(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function prettyLine(role: string, line: string, color: boolean): string {
  const paint = (code: string | undefined, text: string) =>
    color && code && text ? `\u001b[${code}m${text}\u001b[0m` : text;
  const name = role.padEnd(NAME_WIDTH);
  const fields = parseLogLine(line);
  if (!fields) return `${' '.repeat(9)}${name} ${line}`;
  const level = typeof fields.level === 'string' ? fields.level : 'info';
  const time = typeof fields.time === 'string' ? fields.time.slice(11, 19) : ' '.repeat(8);
  const rest = Object.entries(fields)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${shown(value)}`);
  const text = [paint(COLOR[level], `${level.padEnd(5)} ${shown(fields.msg ?? '')}`), paint('2', rest.join(' '))];
  return `${time} ${name} ${text.filter((part) => part !== '').join(' ')}`;
}

/** The unchanged line after its role, for a pipe or a file. */
export const prefixedLine = (role: string, line: string): string => `${role.padEnd(NAME_WIDTH)} | ${line}`;

/** The error message in a log line of donorlens or in an uncaught error of Node.js; null for other lines. */
export function reasonIn(line: string): string | null {
  const fields = parseLogLine(line);
  if (!fields) return /^(?:[A-Za-z]*Error|Uncaught)\b.*?: .+/.test(line) ? line : null;
  if (fields.level !== 'fatal' && fields.level !== 'error') return null;
  return typeof fields.msg === 'string' && fields.msg !== '' ? fields.msg : null;
}
