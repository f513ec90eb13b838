import { createLogger } from '@donorlens/observability';
import { ReleaseHolder } from './release-holder';
import { type Release, openRelease } from './release';
import { SAMPLE_FOLDER, compileFolder } from '../compile-release';

describe('release holder', () => {
  let sample: Release;
  let pointer: string | null;
  let loads: string[];
  let broken: boolean;
  let last: string | null;

  beforeAll(async () => {
    sample = openRelease(await compileFolder(SAMPLE_FOLDER, { steps: false }));
  });
  beforeEach(() => {
    [pointer, loads, broken, last] = [null, [], false, null];
  });

  /** Releases are told apart by their ids; the tables are the sample's. */
  const holder = (options = {}) =>
    new ReleaseHolder(
      { activeId: () => (broken ? Promise.reject(new Error('Connection terminated')) : Promise.resolve(pointer)) },
      {
        load: (id) => {
          loads.push(id);
          return id === 'bad' ? Promise.reject(new Error('damaged')) : Promise.resolve({ ...sample, id });
        },
        recordActiveAndPrune: () => Promise.resolve(),
        lastActive: () => Promise.resolve(last === null ? null : { ...sample, id: last }),
      },
      createLogger('test', 'silent'),
      options,
    );

  it('is empty until a release is active, then swaps the reference when the pointer moves', async () => {
    const releases = holder();
    await releases.refreshNow();
    expect(releases.current()).toBeNull();
    pointer = 'a';
    await releases.refreshNow();
    const held = releases.current();
    pointer = 'b';
    await releases.refreshNow();
    expect([held?.id, releases.current()?.id, loads]).toEqual(['a', 'b', ['a', 'b']]);
  });

  it('keeps one release beside the active one, loads an older one on request, and drops it when unused', async () => {
    const releases = holder({ keepMs: -1 });
    for (pointer of ['a', 'b']) await releases.refreshNow();
    expect((await releases.get('a')).id).toBe('a');
    expect((await releases.get('b')).id).toBe('b');
    expect(loads).toEqual(['a', 'b']);
    await releases.get('old');
    await releases.get('old');
    expect(loads).toEqual(['a', 'b', 'old']);
    await releases.refreshNow();
    await releases.get('old');
    expect(loads).toEqual(['a', 'b', 'old', 'old']);
  });

  it('loads a release once for callers that ask at the same time', async () => {
    const releases = holder();
    const asked = await Promise.all([releases.get('a'), releases.get('a'), releases.get('a')]);
    expect([loads, asked[0] === asked[2]]).toEqual([['a'], true]);
  });

  it('keeps its release if the database is away or a release is damaged', async () => {
    const releases = holder();
    pointer = 'a';
    await releases.refreshNow();
    broken = true;
    await releases.refreshNow();
    expect(releases.current()?.id).toBe('a');
    [broken, pointer] = [false, 'bad'];
    await releases.refreshNow();
    await expect(releases.get('bad')).rejects.toThrow('damaged');
    expect(releases.current()?.id).toBe('a');
    pointer = 'b';
    await releases.refreshNow();
    expect(releases.current()?.id).toBe('b');
  });

  it('starts with the release that was active last while the database is away, then with the one of the pointer', async () => {
    [last, broken] = ['a', true];
    const releases = holder({ pollMs: 5 });
    await releases.start();
    expect(releases.current()?.id).toBe('a');
    [pointer, broken] = ['b', false];
    await releases.refreshNow();
    releases.stop();
    expect(releases.current()?.id).toBe('b');
  });

  it('does not use the release that was active last if the database answers that none is active', async () => {
    last = 'a';
    const releases = holder();
    await releases.start();
    releases.stop();
    expect(releases.current()).toBeNull();
  });

  it('polls until it is stopped', async () => {
    const releases = holder({ pollMs: 5 });
    await releases.start();
    pointer = 'a';
    while (releases.current() === null) await new Promise((later) => setTimeout(later, 5));
    releases.stop();
    expect(releases.current()?.id).toBe('a');
  });
});
