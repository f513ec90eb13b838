import { readConfig } from '@donorlens/config';
import { type Command } from 'commander';
import { choice } from '../arguments';
import { EXIT, type ExitCode } from '../exit-code';
import { Home } from '../home/home';
import { readRunInfo } from '../home/run-file';
import { type Context, examples } from '../program-context';
import { searchPath } from '../start/search-path';
import { DOCTOR_ROLES, type DoctorRole, askRole } from './role-health';

interface DoctorOptions {
  readonly json?: boolean;
  readonly role?: DoctorRole;
}

export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('what this machine has and lacks for donorlens')
    .addOption(choice('--role <role>', 'only whether the process of this role on this machine is ready', DOCTOR_ROLES))
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `${examples('bin/donorlens doctor', 'METRICS_PORT=9400 bin/donorlens doctor --role worker')}\n\nExit codes: 0 nothing fails, 2 wrong environment, 3 something does or is not ready.`,
    )
    .action(context.run((options: DoctorOptions) => doctor(context, options)));
}

async function doctor(context: Context, { json, role }: DoctorOptions): Promise<ExitCode> {
  const config = readConfig();
  if (role) return askRole(context, role, config, json);
  const home = new Home(config.home);
  const { examine } = await import('./checks.js');
  const findings = await examine({ config, home, run: readRunInfo(home), path: searchPath() });
  const lines = findings.map(({ check, state, text }) => `${state.padEnd(4)}  ${check.padEnd(9)} ${text}`);
  context.out(json ? JSON.stringify(findings, null, 2) : lines.join('\n'));
  return findings.some(({ state }) => state === 'fail') ? EXIT.dependency : EXIT.ok;
}
