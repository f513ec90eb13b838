import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Command } from './server-process';

/** How a program that refuses to run as root is run. */
export interface RunAs {
  readonly how: 'this user' | 'another user' | 'another user with capabilities' | 'a user namespace';
  /** Owner of the files that the program writes; null: no change. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  wrap(command: Command): Command;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

const ROOT = 0;
const UNPRIVILEGED: Account = { uid: 65_534, gid: 65_534 };
const CAPABILITIES = '+dac_override,+dac_read_search';

/**
 * Ways to run a program that refuses root, the simplest first. Other users have one way: unchanged.
 * @param files - owner of existing files that must stay usable; null without files
 */
export function waysToRun(files: Account | null): readonly RunAs[] {
  if (process.getuid?.() !== ROOT) return [{ how: 'this user', owner: null, wrap: (command) => command }];
  if (files?.uid === ROOT) return [inUserNamespace(serviceAccount())];
  const account = files ?? serviceAccount();
  const ways = [asAccount(account), withCapabilities(account)];
  return files === null ? [...ways, inUserNamespace(account)] : ways;
}

/** Drops root for good. The account must be able to reach the program and its files by itself. */
const asAccount = (account: Account): RunAs => ({
  how: 'another user',
  owner: account,
  wrap: (command) => ({ ...command, ...account }),
});

/**
 * Below a folder that only root may enter (a checkout under /root), the account keeps root's capability to ignore file
 * permissions. no_setuid_fixup applies it to access(2), too, by which Postgres finds its own binary.
 */
const withCapabilities = (account: Account): RunAs => ({
  how: 'another user with capabilities',
  owner: account,
  wrap: (command) =>
    wrapCommand(command, 'setpriv', [
      '--securebits=+no_setuid_fixup',
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      `--inh-caps=${available(CAPABILITIES)}`,
      `--ambient-caps=${available(CAPABILITIES)}`,
      '--',
    ]),
});

/** Root that sees itself as another user: files stay root's, and nothing more than files can be touched. */
const inUserNamespace = (account: Account): RunAs => ({
  how: 'a user namespace',
  owner: { uid: ROOT, gid: ROOT },
  wrap: (command) =>
    wrapCommand(command, 'unshare', ['--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`, '--']),
});

const wrapCommand = (command: Command, file: string, args: readonly string[]): Command => ({
  ...command,
  file,
  args: [...args, command.file, ...command.args],
});

/** Containers often hold dac_override only; asking for a capability that is not held would fail. */
function available(capabilities: string): string {
  const bits: Record<string, bigint> = { '+dac_override': 1n << 1n, '+dac_read_search': 1n << 2n };
  const held = heldCapabilities();
  return capabilities
    .split(',')
    .filter((name) => (held & bits[name]) !== 0n)
    .join(',');
}

function heldCapabilities(): bigint {
  try {
    const match = /^CapPrm:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return match ? BigInt(`0x${match[1]}`) : 0n;
  } catch {
    return 0n;
  }
}

/** The account `postgres` if it exists, else `nobody`. */
function serviceAccount(): Account {
  const accounts = passwd();
  return accounts.get('postgres') ?? accounts.get('nobody') ?? UNPRIVILEGED;
}

function passwd(): ReadonlyMap<string, Account> {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return new Map(
      lines.map((line) => {
        const [name, , uid, gid] = line.split(':');
        return [name, { uid: Number(uid), gid: Number(gid) }];
      }),
    );
  } catch {
    return new Map();
  }
}

/** True if the program starts that way and can write into the folder. */
export function canRun(way: RunAs, program: Command, folder: string): boolean {
  const script = 'dir=$1; shift; : > "$dir/.reach" && rm -f "$dir/.reach" && exec "$@"';
  const { file, args, env, uid, gid } = way.wrap({
    ...program,
    file: '/bin/sh',
    args: ['-c', script, 'reach', folder, program.file, ...program.args],
  });
  return spawnSync(file, args, { cwd: '/', env, uid, gid, timeout: 15_000, stdio: 'ignore' }).status === 0;
}
