import 'reflect-metadata';
import { EXIT, type ExitCode, exitCodeOf, linesOf } from './exit-code';
import { type Context } from './program-context';
import { buildProgram } from './program';

async function main(): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const context: Context = {
    out: (text) => process.stdout.write(`${text}\n`),
    note: (text) => process.stderr.write(`${text}\n`),
    run:
      (work) =>
      async (...args) =>
        void (code = await work(...args)),
  };
  try {
    await buildProgram(context).parseAsync();
  } catch (error) {
    code = exitCodeOf(error);
    // commander has already printed its own errors.
    if (!(error instanceof Error && error.name === 'CommanderError')) linesOf(error).forEach(context.note);
  }
  return code;
}

const [, , command, ...rest] = process.argv;
const isBackupStream = command === 'backup' && rest.includes('-');

// EPIPE: the reader of the pipe, such as `head`, has closed it. That is no error, except for a backup, which is then
// incomplete: the script that makes it must not take it for a complete one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isBackupStream)
    process.stderr.write(`the backup is incomplete: standard output could not be written: ${error.message}\n`);
  process.exit(error.code === 'EPIPE' && !isBackupStream ? EXIT.ok : EXIT.failed);
});
void main().then((code) => {
  process.exitCode = code;
  setTimeout(() => process.exit(), 2_000).unref(); // exits even if a handle is left open
});
