import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, ROOT, Service } from '../support/service/service';
import { OFFICIAL_DATA, describeWith } from '../support/tools';
import { until } from '../support/until';

const ITCONT = join(OFFICIAL_DATA, 'fec/itcont/itcont-sample-2015-2017.txt');
const NEWT = join(OFFICIAL_DATA, 'fec/efiling/F3P-newt2012-2012M4.fec');
const CLINTON = 'P00003392';
const CLINTON_COMMITTEES = ['C00575795', 'C00570978', 'C00577395'];

/** CSV as Python's csv module reads it. */
function python(csv: string): string[][] {
  const read = 'import csv,json,sys; print(json.dumps(list(csv.reader(sys.stdin))))';
  return JSON.parse(
    execFileSync('python3', ['-c', read], { input: csv, encoding: 'utf8', maxBuffer: 1 << 28 }),
  ) as string[][];
}

interface CandidateCount {
  readonly cents: number;
  /** Cents of each donor. */
  readonly donors: Readonly<Record<string, number>>;
  /** New donors by day. */
  readonly days: Readonly<Record<string, number>>;
}

interface Recount {
  /** Linked presidential candidates of 2016, counted from the files alone. */
  readonly filed: Readonly<Record<string, CandidateCount>>;
  /** The same from a contributions file, by the columns that state how each row counts. */
  readonly served: Readonly<Record<string, CandidateCount>>;
  /** Rows of conduits in all cycles: the matched rows and the counted rows. */
  readonly conduits: readonly [matched: number, counted: number];
}

/** Counts donors and money by the published rule in an independent program. @param file - a contributions file */
function recounted(file: string): Recount {
  const program = `
import csv, datetime, json, re, sys, zipfile
links = {}
for line in zipfile.ZipFile(sys.argv[1]).read('ccl.txt').decode('latin-1').splitlines():
    candidate, _, cycle, committee, _, designation, _ = line.split('|')
    if cycle == '2016' and candidate[0] == 'P' and designation in 'PAJ':
        links.setdefault(committee, {})[candidate] = designation
letters = lambda s: re.sub('[^A-Z]', '', s.upper())
titles = {'MR','MRS','MS','MISS','DR','PROF','REV','HON','SIR','THE','JR','SR','II','III','IV','ESQ','MD','PHD'}
def donor(f):
    surname, _, given = f[7].partition(',')
    words = [letters(w) for w in re.split('[ .]+', given) if letters(w) and letters(w) not in titles]
    return ' '.join((letters(surname), words[0] if words else '', re.sub('[^0-9]', '', f[10])[:5]))
def owned(f):
    if f[5] in ('24T', '24I') or (f[5] == '15E' and f[18] == 'X'):
        named = [c for c in ([f[15]] if f[15] else re.findall('C[0-9]{8}', f[19])) if c in links and c != f[0]]
        if named: return named[0], 'conduit'
        if f[5] != '15E': return '', ''
    return f[0], 'earmark' if f[5] == '15E' or re.search('earmark|earmk|ermk', f[19], re.I) else 'gift'
day = lambda f: f[13][4:] + '-' + f[13][:2] + '-' + f[13][2:4]
def added_up(rows):
    every = {}
    for candidate, committee, date, key, cents, is_donor in rows:
        one = every.setdefault(candidate, {'cents': 0, 'donors': {}, 'first': {}})
        if links[committee][candidate] != 'J' and cents:
            one['cents'] += cents
            one['donors'][key] = one['donors'].get(key, 0) + cents
        if is_donor: one['first'][key] = min(date, one['first'].get(key, date))
    for one in every.values():
        first = list(one.pop('first').values())
        one['days'] = {date: first.count(date) for date in first}
    return every
rows = []
for line in open(sys.argv[2], encoding='latin-1'):
    f = line.rstrip('\\n').split('|')
    (owner, kind), cents = owned(f), round(float(f[14]) * 100)
    if owner not in links or f[18] == 'X' or cents == 0: continue
    if re.match('2.Y', f[5]): kind, cents = 'refund', -cents
    rows.append((day(f), int(f[20]), (owner, donor(f), cents), kind, kind != 'refund' and cents > 0 and f[6] in ('IND', 'CAN')))
rows.sort()
gifts, matched, counted = {}, set(), 0
days_apart = lambda a, b: abs((datetime.date.fromisoformat(a) - datetime.date.fromisoformat(b)).days)
for date, sub, same, kind, _ in rows:
    if kind == 'earmark': gifts.setdefault(same, []).append(date)
for date, sub, same, kind, _ in rows:
    if kind != 'conduit': continue
    near = [d for d in gifts.get(same, []) if days_apart(d, date) <= 10]
    if near: gifts[same].remove(near[0]); matched.add(sub)
    else: counted += 1
filed = added_up((candidate, owner, date, key, cents, is_donor) for date, sub, (owner, key, cents), _, is_donor in rows
    if sub not in matched and date[:4] in ('2015', '2016') for candidate in links[owner])
def served():
    for row in csv.DictReader(sys.stdin):
        f = list(row.values())[2:23]
        cents = round(float(f[14]) * 100) * (-1 if row['COUNT_REASON'] == 'refund' else 1)
        yield row['CAND_ID'], owned(f)[0], day(f), donor(f), cents if row['COUNTS_MONEY'] == 'true' else 0, row['COUNTS_DONOR'] == 'true'
print(json.dumps({'filed': filed, 'served': added_up(served()), 'conduits': [len(matched), counted]}))`;
  const args = ['-c', program, join(OFFICIAL_DATA, 'fec/2016/ccl16.zip'), ITCONT];
  return JSON.parse(execFileSync('python3', args, { encoding: 'utf8', input: file, maxBuffer: 1 << 28 })) as Recount;
}

/** Counts the rows of each committee that is linked to a 2016 candidate for any office, from the files alone. */
function rowsOfLinked(): Record<string, number> {
  const program = `
import json, sys, zipfile
zip, path = sys.argv[1:]
linked = {}
for line in zipfile.ZipFile(zip).read('ccl.txt').decode('latin-1').splitlines():
    candidate, _, cycle, committee, _, designation, _ = line.split('|')
    if cycle == '2016' and designation in 'PAJ' and candidate[0] in 'PSH': linked[committee] = 0
for line in open(path, encoding='latin-1'):
    committee = line.split('|')[0]
    if committee in linked: linked[committee] += 1
print(json.dumps({committee: rows for committee, rows in linked.items() if rows > 0}))`;
  const args = ['-c', program, join(OFFICIAL_DATA, 'fec/2016/ccl16.zip'), ITCONT];
  return JSON.parse(execFileSync('python3', args, { encoding: 'utf8' })) as Record<string, number>;
}

describeWith('official data', 'python3')('an import of the FEC files of 2016', () => {
  let service: Service;

  /** Runs a command against the running service. @returns its JSON output */
  // oxlint-disable-next-line typescript/no-explicit-any -- assertions check it
  function cli(...args: string[]): any {
    const run = spawnSync(process.execPath, [CLI, ...args, '--json'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { PATH: process.env.PATH, DONORLENS_HOME: service.home, NO_COLOR: '1', DATA_SOURCE: OFFICIAL_DATA },
    });
    if (run.status !== 0) throw new Error(`${args.join(' ')} ended with ${run.status}: ${run.stderr}`);
    return JSON.parse(run.stdout);
  }

  const csv = (path: string) => service.text(`/data-charts/v1/${path}`, { headers: { accept: 'text/csv' } });

  beforeAll(async () => {
    service = await Service.start({ DATA_SOURCE: OFFICIAL_DATA, FEC_CYCLES: '2020', LOG_LEVEL: 'warn' });
    await until(
      'the cycle that the service itself looks after is there',
      async () => (await csv('candidate/search?cycle=2020&name_part=trump').catch(() => '')).includes('P80001571'),
      120_000,
    );
    await until('no import is at work', () => cli('charts', 'status').importing === false);
  });
  afterAll(async () => void (await service?.stop()));

  it('finds no presidential contribution in the first file of 2020, reports this and succeeds', () => {
    const report = cli('import', 'fec', '--cycle', '2020', '--contributions', '--again').contributions;
    expect(report).toMatchObject({ outcome: 'imported', linesRead: 70_671, kept: 0, rejected: {} });
    expect(report.otherCommittees).toBe(70_671);
  });

  it('refuses contributions of a cycle without masters, with exit code 1', () => {
    expect(() => cli('import', 'fec', '--cycle', '2016', '--contributions', ITCONT)).toThrow(
      /ended with 1: .*candidates and committees of 2016 are not loaded; run with --masters/s,
    );
  });

  it('loads the candidate and committee masters of a cycle', async () => {
    const { masters } = cli('import', 'fec', '--cycle', '2016', '--masters');
    expect(masters).toMatchObject({ outcome: 'imported', cycle: 2016, label: 'folder' });
    expect(masters.files[0]).toMatchObject({ kind: 'cn', lines: 7_645, kept: 2_301, rejected: {} });
    const candidates = python(await csv('candidate/search?name_part=Clinton&cycle=2016'));
    expect(candidates[0].slice(0, 4)).toEqual(['CYCLE', 'CAND_ID', 'CAND_NAME', 'CAND_PTY_AFFILIATION']);
    expect(candidates.map((row) => row[1])).toContain(CLINTON);
    const committees = python(await csv('committee/candidate/search?name_part=Clinton&cycle=2016'));
    expect(committees.filter((row) => row[1] === CLINTON).map((row) => row[committees[0].indexOf('CMTE_ID')])).toEqual(
      [...CLINTON_COMMITTEES].sort(),
    );
  });

  it('keeps exactly the 1,242 rows of presidential committees and 329 of conduits for them, and counts the others', async () => {
    const { contributions, charts } = cli('import', 'fec', '--cycle', '2016', '--contributions', ITCONT);
    expect(contributions).toMatchObject({
      outcome: 'imported',
      linesRead: 10_000,
      kept: 1_242 + 329,
      otherCommittees: 8_429,
      conduits: { kept: 329, matched: 0, counted: 329 }, // a sample rarely has both a gift and its copy
      rejected: {},
      duplicates: 0,
      stored: 1_242 + 329,
    });
    await service.servesCharts(charts.versionId);
  });

  it('counts donors, cents and days of every candidate like an independent program; cumulative counts never fall', async () => {
    const series = python(await csv('cumulative_donors/candidate?cycle=2016')).slice(1);
    const candidates = [...new Set(series.map(([, id]) => id))];
    const asked = candidates.map((id) => `candidate_id=${id}`).join('&');
    const { filed, served, conduits } = recounted(await csv(`contributions/search?cycle=2016&raw=true&${asked}`));
    expect(conduits).toEqual([0, 329]);
    expect(Object.keys(filed).sort()).toEqual([...candidates].sort());
    expect(served).toEqual(filed);
    expect([filed[CLINTON].cents, Object.keys(filed[CLINTON].donors).length]).toEqual([5_577_800, 583]);

    const money = python(await csv('breakdown/candidate?cycle=2016&by=gender')).slice(1);
    for (const [id, { cents, days }] of Object.entries(filed)) {
      let total = 0;
      let day = Date.UTC(2015, 0, 1);
      for (const [, , date, donors] of series.filter((row) => row[1] === id)) {
        expect([id, date]).toEqual([id, new Date(day).toISOString().slice(0, 10)]);
        total += days[date] ?? 0;
        expect([id, date, Number(donors)]).toEqual([id, date, total]);
        day += 86_400_000;
      }
      expect([id, total]).toEqual([id, Object.values(days).reduce((sum, n) => sum + n, 0)]);
      const groups = money.filter((row) => row[1] === id);
      expect([id, groups.reduce((sum, row) => sum + Number(row[4]), 0)]).toEqual([id, total]);
      expect([id, Math.round(groups.reduce((sum, row) => sum + 100 * Number(row[6]), 0))]).toEqual([id, cents]);
    }
    const rows = python(await csv('contributions/search?cycle=2016'));
    const dates = rows.slice(1).map((row) => row[rows[0].indexOf('TRANSACTION_DT')]);
    const newest = dates.map((date) => `${date.slice(4)}-${date.slice(0, 2)}-${date.slice(2, 4)}`).sort();
    expect(series.filter((row) => row[1] === CLINTON).at(-1)?.[2]).toBe(newest.at(-1));
  });

  it('returns every kept row as it was filed, with enriched columns beside it', async () => {
    const table = python(await csv('contributions/search?cycle=2016&cycle=2018&raw=true'));
    const [header] = table.splice(0, 1);
    const at = (name: string) => header.indexOf(name);
    const filed = new Map(
      readFileSync(ITCONT, 'latin1')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('|'))
        .map((cells) => [cells[20], cells]),
    );
    expect(table.length).toBe(1_242 + 329);
    expect(new Set(table.map((row) => row[at('SUB_ID')])).size).toBe(1_242 + 329);
    for (const row of table) expect(row.slice(at('CMTE_ID'), at('SUB_ID') + 1)).toEqual(filed.get(row[at('SUB_ID')]));
    expect(table.filter((row) => row[at('AGE')] !== '').length).toBeGreaterThan(1_100);
    expect(new Set(table.map((row) => row[at('GEOCODE_STATUS')]))).toEqual(new Set(['SKIPPED']));
  });

  it('returns the same bytes after the same file is imported again', async () => {
    const paths = [
      `age_distribution/committee?committee_id=${CLINTON_COMMITTEES[0]}`,
      `cumulative_donors/candidate?cycle=2016`,
      'contributions/search?cycle=2016&cycle=2018',
      `breakdown/candidate?cycle=2016&by=age&by=state&by=income&by=ethnicity&by=gender`,
    ];
    const before = await Promise.all(paths.map(csv));
    expect(cli('import', 'fec', '--cycle', '2016', '--contributions', ITCONT).contributions.outcome).toBe('unchanged');
    const again = cli('import', 'fec', '--cycle', '2016', '--contributions', ITCONT, '--again').contributions;
    expect(again).toMatchObject({ outcome: 'imported', kept: 1_571, stored: 1_571, removed: 0 });
    await service.servesCharts(cli('charts', 'rebuild').versionId);
    expect(await Promise.all(paths.map(csv))).toEqual(before);
  });

  it('reads an electronic filing whose rows add up to its summary line', async () => {
    const [filing, ...others] = cli('import', 'fec', '--filings', NEWT).filings;
    expect(others).toEqual([]);
    expect(filing).toMatchObject({
      outcome: 'imported',
      lines: { SA17A: 7_386, SB28A: 32 },
      kept: 7_386 + 32,
      rejected: {},
      reconciliation: {
        itemizedCents: 97_817_925,
        itemizedSummaryCents: 97_817_925,
        itemizedDifferenceCents: 0,
        unitemizedCents: 69_862_577,
      },
    });
    const table = python(await csv('contributions/search?committee_id=C00496497'));
    expect(table.length - 1).toBe(7_386 + 32);
    const statuses = new Set(table.slice(1).map((row) => row[table[0].indexOf('GEOCODE_STATUS')]));
    expect([...statuses].sort()).toEqual(['PENDING', 'SKIPPED']); // addresses with streets, and post office boxes
  });

  it('serves every linked committee of all offices on request, and the same bytes without office=', async () => {
    const paths = [
      'age_distribution/committee?cycle=2016&cycle=2018',
      'cumulative_donors/candidate?cycle=2016&cycle=2018',
      'candidate/search?cycle=2016',
      'committee/candidate/search?cycle=2016',
      'breakdown/candidate?cycle=2016&cycle=2018',
      'contributions/search?cycle=2016&cycle=2018',
    ];
    const before = await Promise.all(paths.map(csv));
    const load = ['--cycle', '2016', '--masters', '--contributions', ITCONT, '--offices', 'P,S,H'];
    const { masters, contributions, charts } = cli('import', 'fec', ...load);
    expect(masters.files[0]).toMatchObject({ kind: 'cn', kept: 7_645, rejected: {} });
    expect(contributions).toMatchObject({ outcome: 'imported', linesRead: 10_000, rejected: {} });
    await service.servesCharts(charts.versionId);
    expect(await Promise.all(paths.map(csv))).toEqual(before);
    const series = await csv('cumulative_donors/candidate?cycle=2016&cycle=2018&office=P&office=S&office=H');
    expect(
      series
        .split('\n')
        .filter((line) => !/^\d+,[SH]/.test(line))
        .join('\n'),
    ).toBe(before[1]);

    const filed = rowsOfLinked();
    expect([Object.keys(filed).length, Object.values(filed).reduce((sum, n) => sum + n, 0)]).toEqual([332, 2_155]);
    const all = 'cycle=2016&cycle=2018&office=P&office=S&office=H';
    const served: Record<string, number> = {};
    const [header, ...table] = python(await csv(`contributions/search?${all}`));
    const counting = new Set<string>();
    for (const row of table.filter(([, , committee]) => committee in filed)) {
      served[row[2]] = (served[row[2]] ?? 0) + 1;
      if (row[header.indexOf('COUNTS_MONEY')] === 'true') counting.add(row[2]);
    }
    expect(served).toEqual(filed);
    const charted = new Set(python(await csv(`age_distribution/committee?${all}`)).map((row) => row[1]));
    expect([...counting].filter((committee) => !charted.has(committee))).toEqual([]);
    expect(counting.size).toBe(325); // seven have only memo items
  });
});
