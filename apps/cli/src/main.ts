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
    // commander has already written its own.
    if (!(error instanceof Error && error.name === 'CommanderError')) linesOf(error).forEach(context.note);
  }
  return code;
}

// The reader of a pipe that has seen enough closes it: nothing is left to say.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);
void main().then((code) => {
  process.exitCode = code;
  setTimeout(() => process.exit(), 2_000).unref(); // should a handle be left open
});
