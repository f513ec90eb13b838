/**
 * Benchmarks. A ratio is always measured against a baseline in the same run.
 *
 *     npm run bench                                   runs all
 *     npm run bench -- kernel --rounds 3              runs one; exit code 1 if a target is missed
 *     npm run bench -- http --write                   also writes its report to docs/results
 *     npm run bench -- http --against ../other        alternates with another built checkout, and prints ratios
 */
import { type Command, runCommand, runProgram } from '../command/report';
import { compareWith } from './against';
import { charts } from './charts/charts';
import { cycle } from './cycle';
import { geocoding } from './geocoding';
import { http } from './http/http';
import { kernel } from './kernel/kernel';
import { pipeline, service } from './pipeline/pipeline';

const COMMANDS: Readonly<Record<string, Command>> = { kernel, http, pipeline, service, charts, cycle, geocoding };

async function all(): Promise<number> {
  let code = 0;
  for (const name of Object.keys(COMMANDS)) code = Math.max(code, await runCommand('bench', COMMANDS, name, []));
  return code;
}

const [name, ...args] = process.argv.slice(2);
const against = args.indexOf('--against');
if (against >= 0) void compareWith(args[against + 1], name, args.toSpliced(against, 2));
else runProgram('bench', COMMANDS, all);
