import { type Fence } from '@donorlens/database';
import { type CivilDay, civilDay } from '@donorlens/primitives';
import { compileInThread, sampleSource } from './compile-release';
import { type DataSource, LAYOUT, type SourceFiles, allFiles } from './data-source';
import { type Provenance, type Release, type ReleaseLabel, openRelease } from './releases/release';
import { ReleaseCache } from './releases/release-cache';
import { type CheckResult } from './releases/release-checks';
import { type ReleaseDiff, diffReleases } from './releases/release-diff';
import { type ReleaseRepository, type StoredRelease } from './releases/release.repository';

export interface RefreshOptions {
  readonly source: DataSource;
  readonly repository: ReleaseRepository;
  readonly home: string;
  /** compiles and compares, stores nothing */
  readonly dryRun?: boolean;
  /** false stores the release without making it the active one */
  readonly activate?: boolean;
  /** false leaves the step table out: compiled in a second, equal answers, slower ones */
  readonly steps?: boolean;
  /** Newest surname file of the release; by default that of the active release, or 2010 without one. */
  readonly surnames?: 2010 | 2020;
  /** True adds first names by race and ethnicity; by default as in the active release, or false without one. */
  readonly firstNames?: boolean;
  readonly fence?: Fence;
  readonly onProgress?: (step: string) => void;
  readonly signal?: AbortSignal;
}

export interface RefreshReport {
  /**
   * activated: a new release answers from now on. stored: it is there, another one answers. unchanged: the files are
   * those of the active release. withdrawn: they are those of a release that an operator rolled back; nothing was done.
   * dry-run: nothing was stored.
   */
  readonly outcome: 'activated' | 'stored' | 'unchanged' | 'withdrawn' | 'dry-run';
  readonly activated: boolean;
  readonly releaseId: string;
  readonly label: ReleaseLabel;
  readonly previousId: string | null;
  readonly bytes: number;
  readonly provenance: readonly Provenance[];
  readonly checks: readonly CheckResult[];
  /** Difference from the release that was active before; null without one, or if nothing was compiled. */
  readonly diff: ReleaseDiff | null;
}

/**
 * Gets the files, checks and compiles them, and makes them the active release. What is active stays so until the last
 * step, a move of one pointer; run twice, the second run finds nothing to do.
 * @throws SourceError, LayoutError, ZipError, CheckError, StaleFenceError
 */
export async function refresh(options: RefreshOptions): Promise<RefreshReport> {
  const { source, repository, home, dryRun = false, activate = true, steps, fence, onProgress, signal } = options;
  const known = await repository.list();
  const active = known.find((release) => release.state === 'active') ?? null;
  const { surnames, firstNames = hasFile(active, LAYOUT.firstNames) } = options;
  const surnames2020 = surnames === undefined ? hasFile(active, LAYOUT.surnames2020) : surnames === 2020;
  const files = await source.fetch({ onProgress, signal, supplied: { surnames2020, firstNames } });
  const same = known.find((release) => release.readable && release.label === source.label && madeOf(release, files));
  if (same && !dryRun) return reuseRelease(repository, same, active, { activate, fence });

  const compiling = { label: source.label, createdAt: new Date().toISOString(), steps, onProgress };
  const binary = await compileInThread(files, compiling, signal);
  const release = openRelease(binary);
  const cache = new ReleaseCache(home, repository);
  const before = active?.readable ? await cache.load(active.id) : null;
  const diff = before === null ? null : diffReleases(before, release, dayAfterData(before, release));
  const report = { ...factsOf(release), previousId: active?.id ?? null, diff };
  if (dryRun) return { ...report, outcome: 'dry-run', activated: false };

  onProgress?.('storing');
  if (await repository.store(release, binary)) await cache.store(release, binary);
  if (!activate) return { ...report, outcome: 'stored', activated: false };
  await repository.activate(release.id, fence);
  return { ...report, outcome: 'activated', activated: true };
}

/**
 * Activates the sample if no release is active that this version can read, or if an older sample is active.
 * @returns null if nothing changed
 */
export async function ensureSample(options: Omit<RefreshOptions, 'source' | 'dryRun'>): Promise<RefreshReport | null> {
  const active = await options.repository.active();
  if (active?.readable && active.label !== 'sample') return null;
  const report = await refresh({ ...options, source: await sampleSource(), surnames: 2010, firstNames: false });
  return report.activated ? report : null;
}

/** The files are those of a stored data release, which is activated if necessary. */
async function reuseRelease(
  repository: ReleaseRepository,
  same: StoredRelease,
  active: StoredRelease | null,
  { activate, fence }: Pick<RefreshOptions, 'activate' | 'fence'>,
): Promise<RefreshReport> {
  const report = { ...factsOf(same), releaseId: same.id, previousId: active?.id ?? null, diff: null };
  if (same.state === 'active') return { ...report, outcome: 'unchanged', activated: false };
  if (same.state === 'withdrawn') return { ...report, outcome: 'withdrawn', activated: false };
  if (!activate) return { ...report, outcome: 'stored', activated: false };
  await repository.activate(same.id, fence);
  return { ...report, outcome: 'activated', activated: true };
}

const factsOf = ({ id, label, bytes, provenance, checks }: Release | StoredRelease) => ({
  releaseId: id,
  label,
  bytes,
  provenance,
  checks,
});

/** The release was built with the file of that path in the layout. */
const hasFile = (release: StoredRelease | null, path: string): boolean =>
  release?.provenance.some(({ file }) => file === path) ?? false;

/** True when a release was compiled from just these bytes. */
function madeOf(release: StoredRelease, files: SourceFiles): boolean {
  const checksums = (list: readonly { readonly file: string; readonly sha256: string }[]): string =>
    list
      .map(({ file, sha256 }) => `${file} ${sha256}`)
      .sort()
      .join('\n');
  return checksums(release.provenance) === checksums(allFiles(files));
}

/** 1 January after the last year of births of either: all people in both files are born by then. */
const dayAfterData = (before: Release, after: Release): CivilDay =>
  civilDay(Math.max(before.lastDataYear, after.lastDataYear) + 1, 1, 1);
