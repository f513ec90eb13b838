import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { readConfig, type Config } from '@donorlens/config';
import { findRedisServer } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { dependencyError, type ExitCode, EXIT } from '../exit-code';
import { Home, removeQuietly, type RunInfo, wasKilled, writeRunInfo } from '../home/home';
import { lockHome } from '../home/home-lock';
import { OutputLog } from './output-log';
import { identityOf } from '../home/process-identity';
import { claimAddressSecret, createFirstKey } from './secrets';
import { banner, serviceUrl, preparations, releaseText, withHome } from './banner';
import { type ChosenServer, provideDatabase, migrateDatabase, type ChosenQueue, provideQueue } from './servers';
import { FirstStartWatch, untilReady } from './readiness';
import { chooseLayers, needsRedisServer, searchPath } from './layers';
import { listenablePort } from './port';
import { startRole, ROLES, type Role, nodeOptions, roleEnvironment, roleScript } from './roles';
import { SpareProcess } from './spare-process';
import { endStaleServers } from './stale-servers';
import { StopSignals } from './stop-signals';
import { Supervisor } from './supervisor';

/** Runs servers and roles until a stop signal arrives. The environment is validated first. */
export async function start(env: NodeJS.ProcessEnv = process.env): Promise<ExitCode> {
  const config = readConfig(env);
  checkOpenFiles();
  const home = new Home(config.home);
  home.create();
  const unlock = lockHome(home);
  const pretty = process.stdout.isTTY;
  const isPlain = pretty || !/['"\\]/.test(home.root); // these characters would break the JSON of a line
  const homes = { home: home.root, usualHome: USUAL_HOME };
  const log = new OutputLog(home.logs, {
    pretty,
    color: pretty && !env.NO_COLOR,
    write: (line) => process.stdout.write(`${isPlain ? withHome(line, homes) : line}\n`),
  });
  try {
    return await new Session(config, home, env, log).run();
  } finally {
    removeQuietly(home.run);
    log.close();
    unlock();
  }
}

/** An idle role has some 40 open files and connections, plus one for each client. */
const MIN_OPEN_FILES = 256;

/** @throws CliError with exit code 3 */
function checkOpenFiles(): void {
  const limit = openFilesLimit();
  if (limit < MIN_OPEN_FILES)
    throw dependencyError(
      `this process may open ${limit} files, and donorlens needs ${MIN_OPEN_FILES} or more: raise the limit with ulimit -n 4096, LimitNOFILE of systemd, or --ulimit nofile of Docker`,
    );
}

/** Limit of open files of this process, which the roles inherit; Infinity if it is unlimited or unknown. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/** Time that the servers have to stop after a second Ctrl-C. The next start stops a server that is left running. */
const FORCED_MS = 5_000;

/** Time that the api may still hold the port after a kill -9 of the last start. */
const LEFTOVER_MS = 10_000;

/** Default home of bin/donorlens in the clone, relative to this compiled file, dist/apps/cli/src/start/start.js. */
const USUAL_HOME = join(__dirname, '..', '..', '..', '..', '..', '.donorlens');

interface Dependencies {
  readonly database: ChosenServer;
  readonly queue: ChosenQueue;
}

/** One run of `donorlens start`, until the last process has stopped. */
export class Session {
  private readonly startedAt = performance.now();
  private readonly signals = new StopSignals();
  private readonly watch = new FirstStartWatch();
  private readonly supervisor = new Supervisor(
    (level, message) => this.log.writeSupervisorLine(level, message),
    () => this.writeRun(),
  );
  private apiReady: () => void = () => undefined;
  private readonly untilApiReady = new Promise<void>((resolve) => (this.apiReady = resolve));
  private spareApi: SpareProcess | null = null;
  private runInfo: Omit<RunInfo, 'processes'> | null = null;

  constructor(
    private readonly config: Config,
    private readonly home: Home,
    private readonly env: NodeJS.ProcessEnv,
    private readonly log: OutputLog,
  ) {}

  async run(): Promise<ExitCode> {
    const stopRequested = this.signals.stopRequested.signal;
    const over = AbortSignal.any([stopRequested, this.watch.signal]);
    this.signals.listen();
    this.signals.onForce(() => this.force());
    try {
      await Promise.race([this.bringUp(over), rejected(over)]);
      await this.signals.untilRequested();
    } catch (error) {
      if (!stopRequested.aborted) throw this.watch.signal.aborted ? this.watch.signal.reason : error;
    } finally {
      this.log.writeSupervisorLine('info', 'stopping, work in progress is finished first');
      await Promise.all([this.supervisor.stop(), this.spareApi?.stop()]);
      this.signals.unlisten();
    }
    this.log.writeSupervisorLine('info', 'stopped');
    return EXIT.ok;
  }

  /** @param over - aborts when the session ends: nothing more is started, stored or issued */
  private async bringUp(over: AbortSignal): Promise<void> {
    const { config, home } = this;
    const port = await listenablePort(config.port, config.host, wasKilled(home) ? LEFTOVER_MS : 0);
    over.throwIfAborted();
    const url = serviceUrl(config.host, port);
    const servers = await this.dependencies(over);
    const addressSecret = await claimAddressSecret(config, servers.database.url, home);
    over.throwIfAborted();
    const env = roleEnvironment(this.env, config, { ...servers, home: home.root, port, addressSecret });
    const confirmsTimeline = env.CONFIRM_NEW_TIMELINE === 'true';
    const { referenceRefresh, dataSource, fecImportAt, fecCycles, fecFilings } = config;
    const key = await createFirstKey(servers.database.url, config.bootstrapKey, home, confirmsTimeline);
    over.throwIfAborted();
    this.runInfo = {
      pid: process.pid,
      identity: identityOf(process.pid),
      url,
      databaseUrl: servers.database.url,
      redisUrl: servers.queue.redisUrl,
      queue: servers.queue.backend,
      startedAt: new Date().toISOString(),
      confirmsTimeline,
      schedule: { referenceRefresh, dataSource, fecImportAt, fecCycles, fecFilings },
    };
    await Promise.all(ROLES.map((role) => this.startRole(role, env)));
    await this.untilApiReady;
    over.throwIfAborted();
    const onWait = (seconds: number, reason: string) =>
      this.log.writeSupervisorLine('info', `not ready after ${seconds} s: ${this.watch.waitText(reason)}`);
    const body = await untilReady({ url, signal: over, onWait });
    over.throwIfAborted();
    this.watch.succeeded();
    void this.spareApi?.prepare();
    process.stdout.write(
      `${banner({
        url,
        readyMs: performance.now(), // since process start, including installation and build
        preparations: preparations(),
        startMs: performance.now() - this.startedAt,
        key,
        release: releaseText(body, config.dataSource),
        database: servers.database.text,
        queue: servers.queue.text,
        home: home.root,
        usualHome: USUAL_HOME,
      })}\n`,
    );
  }

  private async dependencies(over: AbortSignal): Promise<Dependencies> {
    const { config, home, supervisor } = this;
    const path = searchPath(this.env);
    const binary = needsRedisServer(config) ? findRedisServer(path) : null;
    const layers = chooseLayers(config, binary?.path ?? null);
    await endStaleServers(home, (text) => this.log.writeSupervisorLine('warn', text));
    over.throwIfAborted();
    const [database, queue] = await Promise.all([
      provideDatabase(config, layers, home, supervisor, path),
      provideQueue(layers.queue, config.redisUrl, binary, home, supervisor),
    ]);
    this.log.writeSupervisorLine('info', `database: ${database.text}`);
    this.log.writeSupervisorLine('info', `queue: ${queue.text}`);
    over.throwIfAborted();
    await migrateDatabase(database.url, createLogger('start', 'warn'));
    over.throwIfAborted();
    await migrateQueue({ queueBackend: queue.backend, databaseUrl: database.url });
    over.throwIfAborted();
    return { database, queue };
  }

  private startRole(role: Role, env: NodeJS.ProcessEnv): Promise<void> {
    const { name, maxRestartMs } = role;
    const process = {
      name,
      script: roleScript(name),
      nodeOptions: nodeOptions(role),
      env: { ...env, DONORLENS_ROLE: name },
      onLine: (line: string) => {
        this.watch.line(name, line);
        this.log.line(name, line);
      },
      onReady: () => {
        this.log.writeSupervisorLine('info', `${name} is ready`);
        if (name === 'api') this.onApiReady();
      },
    };
    const warn = (message: string) => this.log.writeSupervisorLine('warn', message);
    const spare = name === 'api' ? (this.spareApi = new SpareProcess(process, warn)) : null;
    const start = () => spare?.start() ?? startRole(process);
    return this.supervisor.startRole({ name, maxRestartMs, start }, (end) => this.watch.shouldRestart(name, end));
  }

  /** Prepares a spare process only after the first start, which it would slow. */
  private onApiReady(): void {
    this.apiReady();
    if (this.watch.isOver) void this.spareApi?.prepare();
  }

  /** Updates run.json after each start of a process, for the first time when the database can be used. */
  private writeRun(): void {
    if (this.runInfo) writeRunInfo(this.home, { ...this.runInfo, processes: this.supervisor.processes() });
  }

  private force(): void {
    this.log.writeSupervisorLine('warn', 'forced to stop');
    const exit = () => process.exit(EXIT.interrupted);
    setTimeout(exit, FORCED_MS);
    void this.supervisor.stop(true).then(exit, exit);
  }
}

const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
