import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { openRelease } from '@donorlens/reference-data';
import { restoreFastStrings } from '@donorlens/primitives';
import { OurRoad } from './our-road';

/** What the process is asked to do. */
export interface Asked {
  readonly file: string;
  readonly table: string;
}

/** A process of its own, as a worker has: opens the release of its first argument, and goes our road whenever it is asked. */
async function main(releaseFile: string, databaseUrl: string): Promise<void> {
  const release = openRelease(readFileSync(releaseFile));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  restoreFastStrings();
  const road = new OurRoad(client, release);
  process.on('message', ({ file, table }: Asked) => {
    void road.run(table, file).then(() => process.send?.('done'));
  });
  process.send?.('ready');
}

void main(process.argv[2], process.argv[3]);
