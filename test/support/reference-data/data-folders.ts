import { createHash } from 'node:crypto';
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Pool } from 'pg';
import { ZipFile } from 'yazl';
import { migrate } from '@donorlens/database';
import { unzip } from '@donorlens/downloads';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { markSampleComplete } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { SAMPLE } from '../installation';

export const CYCLE = 2024;
const ITCONT_ZIP = `fec/${CYCLE}/indiv${CYCLE % 100}.zip`;

function zipOf(members: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of members) zip.addBuffer(bytes, name);
  zip.end();
  return buffer(zip.outputStream);
}

/** Replaces a file atomically, like a publisher. */
function replace(file: string, bytes: string | Buffer): void {
  writeFileSync(`${file}.next`, bytes, 'latin1');
  renameSync(`${file}.next`, file);
}

/** Marks the sample campaign as imported, so that a new installation does not import it. */
export async function withoutSample(databaseUrl: string): Promise<string> {
  await migrate(databaseUrl, createLogger('resilience', 'silent'));
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  await markSampleComplete(pool);
  await pool.end();
  return databaseUrl;
}

const BIRTHS_ZIP = 'ssa/names.zip';
const BIRTH_YEARS = {
  wanted: /^yob\d{4}\.txt$/,
  tolerated: /^$/,
  maxMembers: 256,
  maxMemberBytes: 1 << 20,
  maxTotalBytes: 64 << 20,
};
const YEARS_APART = 2;

/**
 * Reference data in several editions. Each edition has births two years later than the previous one, so that the age of
 * every name differs between editions.
 */
export class ReferenceDataEditions {
  private constructor(
    readonly path: string,
    private readonly editions: readonly Buffer[],
  ) {}

  static async create(path: string, count: number): Promise<ReferenceDataEditions> {
    cpSync(SAMPLE, path, { recursive: true });
    const births = await unzip(BIRTHS_ZIP, readFileSync(join(SAMPLE, BIRTHS_ZIP)), BIRTH_YEARS);
    const names = [...births.keys()].sort();
    const edition = (nth: number): Promise<Buffer> => {
      const member = (at: number): Buffer => births.get(names[Math.max(0, at - nth * YEARS_APART)]) ?? Buffer.alloc(0);
      return zipOf(new Map(names.map((name, at) => [name, member(at)])));
    };
    const editions = await Promise.all(Array.from({ length: count }, (_, nth) => edition(nth)));
    const folder = new ReferenceDataEditions(path, editions);
    folder.publish(0);
    return folder;
  }

  publish(nth: number): void {
    replace(join(this.path, BIRTHS_ZIP), this.editions[nth % this.editions.length]);
  }
}

/** Committee by candidate, both in the masters of the sample. */
export const CANDIDATES: Readonly<Record<string, string>> = { P90000002: 'C99900002', P90000003: 'C99900003' };
export const DONOR_NAME = 'Mary';
export const DAYS = Array.from({ length: 20 }, (_, at) => `2023-01-${String(at + 1).padStart(2, '0')}`);

/** FEC files in editions: in each, every candidate has the given number of new donors on every day. */
export class ContributionEditions {
  private constructor(readonly file: string) {}

  static async create(folder: string): Promise<ContributionEditions> {
    await writeSampleFiles(folder, { rows: 10, cycles: [CYCLE - 4, CYCLE] });
    rmSync(join(folder, 'fec', String(CYCLE - 4)), { recursive: true });
    rmSync(join(folder, 'fec/efiling'), { recursive: true });
    return new ContributionEditions(join(folder, ITCONT_ZIP));
  }

  /** @param from - number of the first donor of each day */
  async publish(donorsPerDay: number, from = 0): Promise<void> {
    const lines: string[] = [];
    for (let donor = from; donor < donorsPerDay; donor++)
      for (const [at, day] of DAYS.entries())
        for (const [nth, committee] of Object.values(CANDIDATES).entries())
          lines.push(itcontLine(((donor + 1) * DAYS.length + at) * 10 + nth, committee, day));
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    replace(this.file, await zipOf(new Map([['itcont.txt', text]])));
  }
}

function itcontLine(id: number, committee: string, day: string): string {
  const [year, month, date] = day.split('-');
  const surname = [...String(id)].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('');
  const filing = [committee, 'N', 'M4', 'P', '202302200000000001', '15', 'IND'];
  // The search for near-duplicates compares names within a ZIP; thousands of similar names in one ZIP would be slow.
  const zip = String(60_000 + (id % 3_000));
  const donor = [`DONOR${surname}, ${DONOR_NAME.toUpperCase()}`, 'SPRINGFIELD', 'IL', zip, '', 'TEACHER'];
  return [...filing, ...donor, month + date + year, '25', '', `SA17.${id}`, '1000001', '', '', id].join('|');
}

const ROWS = 600;
/** Few enough that an import accepts their absence as a correction. */
const LEFT_OUT = 30;
const INCOME = 'census/saipe/est18all.txt';

/** Small synthetic files that are different in each round of a scenario. */
export class RoundFiles {
  private constructor(
    readonly path: string,
    private readonly lines: readonly string[],
    private readonly income: string,
  ) {}

  static async create(path: string): Promise<RoundFiles> {
    cpSync(SAMPLE, path, { recursive: true });
    await writeSampleFiles(path, { rows: ROWS, cycles: [CYCLE - 4, CYCLE] });
    const text = Buffer.concat([...sampleItcont({ rows: ROWS, cycle: CYCLE })]).toString('latin1');
    const folder = new RoundFiles(path, text.split('\n').slice(0, -1), readFileSync(join(path, INCOME), 'latin1'));
    await folder.publish(0);
    return folder;
  }

  /** Even rounds have the same contributions. Odd rounds lack some of these rows and have others. */
  async publish(round: number): Promise<void> {
    const from = round % 2 === 0 ? 0 : ROWS - LEFT_OUT;
    const lines = this.lines.filter((_, at) => at < from || at >= from + LEFT_OUT);
    const text = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
    replace(join(this.path, ITCONT_ZIP), await zipOf(new Map([['itcont.txt', text]])));
    replace(join(this.path, INCOME), this.incomeOf(round));
  }

  /** Identifies the data release of a round. */
  checksum(round: number): string {
    return createHash('sha256')
      .update(Buffer.from(this.incomeOf(round), 'latin1'))
      .digest('hex');
  }

  /** Changes the median of a county without donors, so that releases differ but answers do not. */
  private incomeOf(round: number): string {
    return this.income.replace('  66600 ', `  ${66_600 + round} `);
  }
}
