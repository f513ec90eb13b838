import { type ServerResponse } from 'node:http';

const MOST_STILL_MS = 60_000;

/** Ends a response whose client has taken nothing for a minute although something waits for it. */
export function endWhenStalled(response: ServerResponse, mostStillMs = MOST_STILL_MS): void {
  response.setTimeout(mostStillMs, () => {
    // Node tells of a socket without any traffic; where nothing waits, it is the database that takes its time.
    if (response.writableNeedDrain) response.destroy();
    else response.setTimeout(mostStillMs);
  });
}
