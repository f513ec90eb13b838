import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSampleFiles } from '@donorlens/fec-sample';
import { zipped } from './zipped';

/** Committee by candidate; of the masters that the sample has. */
export const CANDIDATES: Readonly<Record<string, string>> = { P90000002: 'C99900002', P90000003: 'C99900003' };
export const CYCLE = 2024;
export const FIRST_NAME = 'Mary';
export const DAYS = Array.from({ length: 20 }, (_, at) => `2023-01-${String(at + 1).padStart(2, '0')}`);

/** Files of the FEC of which one is exchanged at once: in the k-th edition each candidate has k new donors every day. */
export class GiftFiles {
  private constructor(private readonly file: string) {}

  static async in(folder: string): Promise<GiftFiles> {
    await writeSampleFiles(folder, { rows: 10, cycles: [CYCLE - 4, CYCLE] });
    rmSync(join(folder, 'fec', String(CYCLE - 4)), { recursive: true });
    rmSync(join(folder, 'fec/efiling'), { recursive: true });
    return new GiftFiles(join(folder, 'fec', String(CYCLE), `indiv${CYCLE % 100}.zip`));
  }

  async show(donorsADay: number): Promise<void> {
    const lines: string[] = [];
    for (let donor = 0; donor < donorsADay; donor++)
      for (const [at, day] of DAYS.entries())
        for (const [nth, committee] of Object.values(CANDIDATES).entries())
          lines.push(gift(((donor + 1) * DAYS.length + at) * 10 + nth, committee, day));
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    writeFileSync(`${this.file}.next`, await zipped(new Map([['itcont.txt', text]])));
    renameSync(`${this.file}.next`, this.file);
  }
}

/** A line of the FEC's file of individual contributions. */
function gift(id: number, committee: string, day: string): string {
  const [year, month, date] = day.split('-');
  const surname = [...String(id)].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('');
  const filing = [committee, 'N', 'M4', 'P', '202302200000000001', '15', 'IND'];
  const donor = [`DONOR${surname}, ${FIRST_NAME.toUpperCase()}`, 'SPRINGFIELD', 'IL', '62701', '', 'TEACHER'];
  return [...filing, ...donor, month + date + year, '25', '', `SA17.${id}`, '1000001', '', '', id].join('|');
}
