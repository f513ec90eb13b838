import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PostgresBinaries } from '@donorlens/local-servers';
import { faketimeLibrary } from '../tools';

/** The clock of some processes, which a test steps while they run: libfaketime reads it from a file at each access. */
export class SteppedClock {
  private readonly file: string;
  private readonly folder: string;

  /** @param home - folder that the processes may enter */
  constructor(home: string, name: string) {
    this.folder = join(home, `clock-of-${name}`);
    this.file = join(this.folder, 'clock');
    mkdirSync(this.folder);
    this.step(0);
  }

  /** Sets the clock to this many seconds before or after the right time. */
  step(seconds: number): void {
    writeFileSync(this.file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  /** Environment of the processes; durations within them stay right. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: `${faketimeLibrary()}:libc.so.6`, // before jemalloc of Redis, whose malloc reads the clock
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DISABLE_SHM: '1',
    };
  }

  /** @returns a script that runs the program with this clock */
  wrapper(program: string, name: string): string {
    const settings = Object.entries(this.environment).map(([variable, value]) => `${variable}=${value}`);
    const script = join(this.folder, name);
    writeFileSync(script, `#!/bin/sh\nexec env ${settings.join(' ')} ${program} "$@"\n`, { mode: 0o755 });
    return script;
  }

  /** Postgres binaries with this clock; initdb has the right time. */
  binaries(installed: PostgresBinaries): PostgresBinaries {
    this.wrapper(join(installed.folder, 'postgres'), 'postgres');
    symlinkSync(join(installed.folder, 'initdb'), join(this.folder, 'initdb'));
    return { ...installed, folder: this.folder };
  }
}
