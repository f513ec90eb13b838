import { join } from 'node:path';
import { redacted } from '@donorlens/observability';
import { LogFile } from './log-file';
import { prefixedLine, prettyLine } from './log-line';

/** Where the lines of all processes go: to the screen with their role in front, and to a file for each role. */
export class OutputLog {
  private readonly files = new Map<string, LogFile>();

  constructor(
    private readonly folder: string,
    private readonly screen: { readonly pretty: boolean; readonly colour: boolean; write(line: string): void },
  ) {}

  line(role: string, text: string): void {
    const line = redacted(text);
    this.screen.write(this.screen.pretty ? prettyLine(role, line, this.screen.colour) : prefixedLine(role, line));
    this.file(role).line(line);
  }

  /** A line of the supervisor itself, in the same form as everybody's. */
  own(level: 'info' | 'warn' | 'error', msg: string): void {
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
