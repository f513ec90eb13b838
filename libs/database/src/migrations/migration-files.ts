import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One numbered SQL file, forward only. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: Buffer;
  /** Checksums of all forms that the file ever had. */
  readonly earlier?: readonly Buffer[];
}

/** Each form that a file ever had, as sha256sum writes them; `npm run migrations` compares the last one with the file. */
const CHECKSUMS = 'checksums.txt';
const FILE = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/** Path of libs/database/migrations in the nearest parent folder that has it, for sources and for dist. */
export function migrationsFolder(from: string = __dirname): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'libs', 'database', 'migrations');
    if (existsSync(folder)) return folder;
    if (dirname(at) === at) throw new Error(`no folder libs/database/migrations above ${from}`);
  }
}

/** All migrations in order. @throws Error when numbers have a gap, repeat, or a file is named otherwise */
export function readMigrations(folder: string = migrationsFolder()): readonly Migration[] {
  const forms = readFileSync(join(folder, CHECKSUMS), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('  '));
  const migrations = readdirSync(folder)
    .filter((file) => file !== CHECKSUMS)
    .sort()
    .map((file) => {
      const match = FILE.exec(file);
      if (!match) throw new Error(`${file} is not named NNNN_what_it_does.sql`);
      const sql = readFileSync(join(folder, file), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest();
      const earlier = forms.filter(([, name]) => name === file).map(([hex]) => Buffer.from(hex, 'hex'));
      return { number: Number(match[1]), name: match[2], sql, sha256, earlier };
    });
  migrations.forEach(({ number, name }, at) => {
    if (number !== at + 1) throw new Error(`migration ${name} has number ${number}, expected ${at + 1}`);
  });
  return migrations;
}
