import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Has a child of ours ended should this process end in any way, kill -9 included: a shell waits for the end of its
 * input, which comes with our end.
 * @param whom  the child, or its process group: of a child that was spawned detached, with what it has started itself
 */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals, whom: 'child' | 'group' = 'child'): void {
  if (process.platform === 'win32' || child.pid === undefined) return;
  const script = 'read -r _; kill -s "$2" -- "$1"';
  const target = String(whom === 'group' ? -child.pid : child.pid);
  const guard = spawn('/bin/sh', ['-c', script, 'guard', target, signal.slice(3)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined); // no shell: the child may then outlive a killed parent
  guard.stdin.on('error', () => undefined);
  guard.unref();
  const { stdin } = guard;
  if ('unref' in stdin && typeof stdin.unref === 'function') (stdin.unref as () => void).call(stdin);
  child.once('exit', () => guard.kill('SIGKILL')); // before the pid can belong to somebody else
}
