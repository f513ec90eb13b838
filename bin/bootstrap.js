'use strict';
/** Entry point of the npm scripts, also on a fresh clone: installs packages, builds, then runs the command. */
require('./node-version.js');
const { spawn } = require('node:child_process');
const path = require('node:path');
const { endWithShell } = require('./end-with-shell.js');
const { ROOT, MODULES, prepare, orExit, runCli } = require('./prepare.js');

const JEST = path.join(MODULES, 'jest', 'bin', 'jest.js');
const BENCH = path.join(ROOT, 'dist', 'scripts', 'bench', 'main.js');
const RESILIENCE = path.join(ROOT, 'dist', 'scripts', 'resilience', 'main.js');
const METRICS = path.join(ROOT, 'dist', 'scripts', 'metrics', 'main.js');
const CONTRACT = path.join(ROOT, 'dist', 'scripts', 'contract.js');

function run(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  // A terminal signals the whole process group. A SIGTERM to this process alone is forwarded to the child.
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGINT', () => undefined);
  child.on('close', (code) => process.exit(code === null ? 130 : code));
}

const [command, ...args] = process.argv.slice(2);
const commands = {
  start: () => prepare().then(() => runCli(['start', ...args])),
  build: () => prepare({ rebuild: true }),
  test: () => prepare().then(() => run([JEST, ...args])),
  bench: () => prepare().then(() => run([BENCH, ...args])),
  proof: () => {
    process.stderr.write(
      'npm run proof is now npm run resilience; its security checks are npm test -- test/security\n',
    );
    return commands.resilience();
  },
  resilience: () => prepare().then(() => run([RESILIENCE, ...args])),
  metrics: () => prepare().then(() => run([METRICS, ...args])),
  contract: () => prepare().then(() => run([CONTRACT, ...args])),
};

if (!Object.hasOwn(commands, command)) {
  process.stderr.write('usage: node bin/bootstrap.js start|build|test|bench|resilience|metrics|contract [arguments]\n');
  process.exit(2);
}
if (process.env.npm_lifecycle_event) endWithShell();
commands[command]().catch(orExit);
