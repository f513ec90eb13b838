import { EXIT, type ExitCode } from '../exit-code';
import { type Context } from '../program-context';

/**
 * Runs work that Ctrl-C ends: the signal is aborted, requests in flight are given up, and the code is 130.
 * @param work  may name, once there is something to say, the line that is shown on an interruption
 */
export async function interruptible(
  work: (signal: AbortSignal, onInterrupt: (line: string) => void) => Promise<ExitCode>,
  context: Context,
): Promise<ExitCode> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  let line = 'interrupted';
  process.on('SIGINT', abort).on('SIGTERM', abort);
  try {
    return await work(stop.signal, (text) => (line = `interrupted; ${text}`));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    context.note(line);
    return EXIT.interrupted;
  } finally {
    process.removeListener('SIGINT', abort).removeListener('SIGTERM', abort);
  }
}
