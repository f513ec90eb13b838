import { Installation, type InstallationOptions, until } from '../installation';
import { allAnswer } from './questions';

/** What was asked for on the command line. */
export interface Asked {
  /** How long Redis is absent, and how long everything else is away. */
  readonly redisAwayS: number;
  readonly awayS: number;
}

/** What was seen, and whether it is what was promised. */
export interface Seen {
  readonly said: string;
  readonly kept: boolean;
}

/** One way in which a server is not what it should be: a row of the table. */
export interface Outage {
  readonly what: (asked: Asked) => string;
  readonly promised: string;
  readonly run: (asked: Asked, lent: Lent) => Promise<Seen>;
}

/** Collects what was seen; a promise that was not kept is told in bold. */
export class Findings {
  private readonly sentences: string[] = [];
  private kept = true;

  add(sentence: string, isKept = true): void {
    this.sentences.push(isKept ? sentence : `**${sentence}**`);
    this.kept &&= isKept;
  }

  get seen(): Seen {
    return { said: this.sentences.join('; '), kept: this.kept };
  }
}

const SAMPLE_MS = 600_000;
const OPTIONS = { queue: 'redis', proxied: true } as const;

type Work = (installation: Installation, findings: Findings) => Promise<void>;

/** The installation that outages lend each other: starting one costs more than most of them. */
export class Lent {
  private shared: Installation | undefined;

  /** What the work finds on the shared one, and whether a process died meanwhile. */
  async use(work: Work): Promise<Seen> {
    this.shared ??= await withData(OPTIONS);
    return watched(this.shared, work);
  }

  async end(): Promise<void> {
    await this.shared?.stop();
    this.shared = undefined;
  }
}

/** The same on one of its own. */
export async function onItsOwn(options: InstallationOptions, work: Work): Promise<Seen> {
  const installation = await withData(options);
  try {
    return await watched(installation, work);
  } finally {
    await installation.stop();
  }
}

/** Once all nine endpoints have data to answer with. */
async function withData(options: InstallationOptions): Promise<Installation> {
  const environment = { GEOCODE_PATIENCE_SECONDS: '0', ...options.environment };
  const installation = await Installation.start({ ...options, environment });
  for (const url of installation.apiUrls) await until(`${url} has data`, () => allAnswer(url), SAMPLE_MS);
  return installation;
}

async function watched(installation: Installation, work: Work): Promise<Seen> {
  const findings = new Findings();
  const before = deathsOf(installation);
  await work(installation, findings);
  const deaths = deathsOf(installation) - before;
  findings.add(`${deaths} processes died`, deaths === 0);
  return findings.seen;
}

const deathsOf = ({ processes }: Installation): number => processes.reduce((sum, { deaths }) => sum + deaths, 0);
