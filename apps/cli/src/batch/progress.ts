import { SingleBar } from 'cli-progress';

/** Shows how far something is. A bar where somebody watches; where not, a line every few seconds if there is news. */
export interface Progress {
  update(done: number, total: number, line: string): void;
  /** A line that stays. */
  say(line: string): void;
  /** Ends the display, so that other lines can be written. */
  end(): void;
}

const EVERY_MS = 5_000;
/** Without news, so that a log shows that somebody still waits. */
const AT_LEAST_EVERY_MS = 60_000;

export interface ProgressScreen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** @param stream standard error: standard output belongs to the data */
export function progressOn(stream: NodeJS.WriteStream, now: () => number = Date.now): Progress {
  return stream.isTTY ? barOn(stream) : linesOn(stream, now);
}

function barOn(stream: NodeJS.WriteStream): Progress {
  let bar: SingleBar | null = null;
  const end = (): void => {
    bar?.stop();
    bar = null;
  };
  return {
    update(done, total, line) {
      if (!bar) {
        bar = new SingleBar({
          stream,
          format: '[{bar}] {line}',
          barsize: 30,
          barCompleteChar: '#',
          barIncompleteChar: '-',
          hideCursor: true,
          clearOnComplete: true,
          gracefulExit: false, // signals are ours
        });
        bar.start(total || 1, done, { line });
      }
      bar.setTotal(total || 1);
      bar.update(done, { line });
    },
    say(line) {
      end();
      stream.write(`${line}\n`);
    },
    end,
  };
}

export function linesOn(stream: ProgressScreen, now: () => number): Progress {
  let writtenAt = now();
  let written = '';
  return {
    update(_done, _total, line) {
      const quietMs = now() - writtenAt;
      if (quietMs < (line === written ? AT_LEAST_EVERY_MS : EVERY_MS)) return;
      [writtenAt, written] = [now(), line];
      stream.write(`${line}\n`);
    },
    say: (line) => void stream.write(`${line}\n`),
    end: () => undefined,
  };
}
