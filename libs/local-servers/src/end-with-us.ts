import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Has a child of ours ended should this process end in any way, kill -9 included: a shell waits for the end of its
 * input, which comes with our end.
 */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  if (process.platform === 'win32' || child.pid === undefined) return;
  const script = 'read -r _; kill -s "$2" "$1"';
  const guard = spawn('/bin/sh', ['-c', script, 'guard', String(child.pid), signal.slice(3)], {
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
