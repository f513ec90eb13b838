'use strict';
/** Prepares a clone: installs the locked packages and compiles the sources. Needs only Node.js and npm. */
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { performance } = require('node:perf_hooks');

const ROOT = path.join(__dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');
const DIST = path.join(ROOT, 'dist');
const LOCK_FILE = path.join(ROOT, 'package-lock.json');
/** npm writes this file last, so an unfinished installation does not have it. */
const FINISHED_INSTALL = path.join(MODULES, '.package-lock.json');
const INSTALLED_STAMP = path.join(MODULES, '.donorlens-installed');
const BUILT_STAMP = path.join(DIST, '.built-from');
const SOURCES = ['apps', 'libs', 'scripts'];
/** Test doubles that scripts use; the container image is built without them. */
const TEST_SUPPORT = 'test/support';
/** Lock file with the ids of the processes that install or build this folder. */
const PREPARING = path.join(
  os.tmpdir(),
  `donorlens-${process.getuid ? process.getuid() : 0}-${createHash('sha256').update(ROOT).digest('hex').slice(0, 12)}.lock`,
);
/** No preparation takes this long. An older lock is stale: its process ids may belong to other processes. */
const PREPARING_MS = 30 * 60_000;

/** The preparation failed. The message has one line; `exitCode` is the exit code of this process. */
class PreparationError extends Error {
  constructor(message, exitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

const say = (text) => process.stderr.write(`${text}\n`);
const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};
const textOf = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** The last lines of a command's output, without the help text that npm appends to an error. */
const lastOutputLines = (output) =>
  output
    .split(/^npm error (?:Clean install a project|Usage:)/m)[0]
    .trim()
    .split('\n')
    .filter((line) => !/^npm (error|warn)\s*$/.test(line))
    .slice(-15)
    .join('\n');

/**
 * Runs a command and shows its output only if it fails. Stores its duration as a performance measure, for the log line
 * that reports how long the start took.
 */
function runQuietly(what, command, args) {
  const started = Date.now();
  const start = performance.now();
  say(`${what} ...`);
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid) fs.appendFileSync(PREPARING, ` ${child.pid}`); // it may outlive this process
  let output = '';
  const keep = (data) => (output = (output + data).slice(-8000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const tick = setInterval(() => say(`${what}: ${seconds(started)}`), 15_000);
  const stop = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  })
    .finally(() => {
      clearInterval(tick);
      for (const signal of ['SIGINT', 'SIGTERM']) process.removeListener(signal, stop);
    })
    .then(({ code, signal }) => {
      if (signal || code === 130) throw new PreparationError(`${what}: interrupted`, 130);
      if (code === 0) {
        performance.measure(`donorlens ${what.split(' ', 1)[0]}`, { start, end: performance.now() });
        return say(`${what}: done in ${seconds(started)}`);
      }
      say(lastOutputLines(output));
      throw new PreparationError(`${what}: failed with exit code ${code}`, 3);
    });
}

/** True if node_modules has the packages of package-lock.json and the installation is complete. */
function isInstalled() {
  if (!fs.existsSync(FINISHED_INSTALL)) return false;
  if (fs.statSync(FINISHED_INSTALL).mtimeMs >= fs.statSync(LOCK_FILE).mtimeMs) return true;
  return textOf(INSTALLED_STAMP) === sha256(fs.readFileSync(LOCK_FILE)); // only the file date is newer
}

async function install() {
  const npm = process.env.npm_execpath;
  const viaNode = npm !== undefined && /npm-cli\.c?js$/.test(npm);
  const [command, first] = viaNode ? [process.execPath, [npm]] : ['npm', []];
  // NODE_ENV and .npmrc can exclude devDependencies (the compiler) and optional dependencies (the database).
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  await runQuietly('installing packages (npm ci, about a minute)', command, [...first, ...args]);
  fs.writeFileSync(INSTALLED_STAMP, sha256(fs.readFileSync(LOCK_FILE)));
}

/** Files below a folder, without tests. */
function filesBelow(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(int-|e2e-)?spec\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

const isScript = (file) => /\.tsx?$/.test(file);

function fingerprint(files) {
  const inputs = [...files, '.swcrc', 'bin/bundle.js', 'package-lock.json'].flatMap((file) => [
    `${file}\0`,
    fs.readFileSync(path.join(ROOT, file)),
  ]);
  return sha256(...inputs);
}

const builtFolders = () => [...SOURCES, ...(fs.existsSync(path.join(ROOT, TEST_SUPPORT)) ? [TEST_SUPPORT] : [])];

async function build(files, print) {
  fs.rmSync(DIST, { recursive: true, force: true });
  const swc = require.resolve('@swc/cli/bin/swc.js');
  const args = [
    swc,
    ...builtFolders(),
    '-d',
    'dist',
    '--extensions',
    '.ts,.tsx', // other files, such as browser modules, are copied unchanged
    '--ignore',
    '**/*.spec.ts,**/*.spec.tsx,**/*.int-spec.ts,**/*.e2e-spec.ts,**/*.d.ts',
    '--quiet',
  ];
  await runQuietly('building', process.execPath, args);
  await runQuietly('bundling packages', process.execPath, [path.join(__dirname, 'bundle.js'), DIST]);
  for (const file of files.filter((name) => !isScript(name))) {
    fs.mkdirSync(path.dirname(path.join(DIST, file)), { recursive: true });
    fs.copyFileSync(path.join(ROOT, file), path.join(DIST, file));
  }
  fs.writeFileSync(BUILT_STAMP, print); // written last, so an unfinished build has no stamp
}

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Id of the process that prepares this folder; undefined if the lock is stale. */
function preparer() {
  const age = Date.now() - (fs.statSync(PREPARING, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const pids = (textOf(PREPARING) ?? '').trim().split(' ').map(Number);
  return age < PREPARING_MS ? pids.find((pid) => pid > 0 && isAlive(pid)) : undefined;
}

/** Removes the lock, unless another process has replaced it since its text was read. */
function removeStaleLock(text) {
  const aside = `${PREPARING}.${process.pid}`;
  try {
    fs.renameSync(PREPARING, aside);
    if (textOf(aside) === text) fs.rmSync(aside);
    else fs.renameSync(aside, PREPARING);
  } catch {
    // another process has removed it
  }
}

/** Lets one process at a time install or build this folder. */
async function withPreparationLock(work) {
  for (let waited = 0; ; waited += 200) {
    try {
      fs.writeFileSync(PREPARING, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const text = textOf(PREPARING);
    const holder = preparer();
    if (holder === undefined) removeStaleLock(text);
    else if (waited === 0) say(`waiting for another process that prepares this folder (pid ${holder})`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    return await work();
  } finally {
    fs.rmSync(PREPARING, { force: true });
  }
}

const isBuilt = (print) => textOf(BUILT_STAMP) === print;

/** Installs and builds what is missing or stale. Does nothing in an image that has dist without sources. */
async function prepare({ rebuild = false } = {}) {
  const sources = SOURCES.every((folder) => fs.existsSync(path.join(ROOT, folder)));
  if (!sources && fs.existsSync(DIST)) return;
  const current = () => {
    const files = builtFolders().flatMap((folder) => filesBelow(path.join(ROOT, folder)));
    return { files, print: fingerprint(files) };
  };
  if (!rebuild && isInstalled() && isBuilt(current().print)) return;
  await withPreparationLock(async () => {
    if (!isInstalled()) await install();
    const { files, print } = current();
    if (rebuild || !isBuilt(print)) await build(files, print);
  });
}

/** Prints one line and exits if the preparation failed. */
function orExit(error) {
  say(error instanceof PreparationError ? error.message : `donorlens: ${error.message}`);
  process.exit(error instanceof PreparationError ? error.exitCode : 1);
}

const CLI = path.join(DIST, 'apps', 'cli', 'src', 'main.js');

/** Runs the built cli in this process, so signals and the exit code need no forwarding. */
function runCli(args) {
  if (!process.env.DONORLENS_HOME) process.env.DONORLENS_HOME = path.join(ROOT, '.donorlens');
  process.argv = [process.execPath, CLI, ...args];
  require(CLI);
}

module.exports = { ROOT, MODULES, prepare, orExit, runCli };
