import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METRICS, type MetricName } from '@donorlens/observability';
import { parse, stringify } from 'yaml';

const ROOT = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}
/** Durations of the rules, as the runbook states them. */
const DURATIONS: Readonly<Record<string, RegExp>> = {
  '1m': /\bfor a minute\b/i,
  '2m': /\bfor 2 minutes\b/i,
  '5m': /\bfor 5 minutes\b/i,
  '10m': /\bfor 10 (to 20 )?minutes\b/i,
  '30m': /\bfor 30 minutes\b/i,
  '1h': /\bfor an hour\b/i,
};
interface Scaling {
  readonly spec: { readonly triggers: readonly [{ readonly metadata: { readonly query: string } }] };
}
const alerts = (parse(read('deploy/prometheus/rules.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const panels = (
  JSON.parse(read('deploy/grafana/donorlens.json')) as { panels: { title: string; targets?: { expr: string }[] }[] }
).panels;

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);
/** Queries use the parts of a histogram: `_bucket`, `_sum` and `_count`. */
const baseOf = (name: string): string => {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return isMetric(base) && METRICS[base].type === 'histogram' ? base : name;
};
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:donorlens|nodejs|process)_\w+/g)].map(([name]) => baseOf(name));
/** Each label in a `{…}` selector, with its metric. */
const matchersIn = (expr: string): [string, string][] =>
  [...expr.matchAll(/\b((?:donorlens|nodejs|process)_\w+)\{([^}]*)\}/g)].flatMap(([, name, inner]) =>
    [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]): [string, string] => [baseOf(name), label]),
  );
const ADDED_BY_PROMETHEUS = ['instance', 'job', 'le'];

const promtool = (...args: string[]): string =>
  execFileSync('promtool', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const hasPromtool = (() => {
  try {
    return promtool('--version') !== '';
  } catch {
    return false;
  }
})();
/** Skipped without promtool, except in continuous integration. */
const itWithPromtool = hasPromtool || process.env.CI !== undefined ? it : it.skip;

describe('alerts and dashboard', () => {
  it('use existing metrics and labels', () => {
    const exprs = [
      ...alerts.map(({ expr }) => expr),
      ...panels.flatMap(({ targets = [] }) => targets.map((t) => t.expr)),
    ];
    expect(exprs.length).toBeGreaterThan(40);
    for (const expr of exprs) {
      expect(metricsIn(expr)).not.toEqual([]);
      expect(metricsIn(expr).filter((name) => !isMetric(name))).toEqual([]);
      for (const [name, label] of matchersIn(expr))
        if (isMetric(name)) expect([...METRICS[name].labels, ...ADDED_BY_PROMETHEUS]).toContain(label);
    }
  });

  it('use every metric of the service', () => {
    const used = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    for (const { expr } of alerts) metricsIn(expr).forEach((name) => used.add(name));
    const ours = Object.entries(METRICS).filter(([, { source }]) => source !== 'every process');
    expect(ours.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it('have a severity, a summary sentence and a section of the runbook', () => {
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations.runbook_url).toBe(`{{ $externalLabels.donorlens_url }}/guide/runbook#${alert.toLowerCase()}`);
      expect(annotations.summary).toMatch(/^.{10,}\.$/);
      expect(['critical', 'warning']).toContain(labels.severity);
    }
  });

  it('match the sections of the runbook', () => {
    const sections = [...read('docs/runbook.md').matchAll(/^#+ (Donorlens\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it('are explained at the beginning of their section, with the time after which they fire', () => {
    const runbook = read('docs/runbook.md');
    for (const { alert, for: duration } of alerts) {
      const [, firstParagraph] = new RegExp(`^### ${alert}\\n\\n(.*)$`, 'm').exec(runbook) ?? [];
      expect(firstParagraph).toMatch(DURATIONS[duration] ?? `no text for ${duration}`);
    }
  });

  itWithPromtool('are valid for Prometheus', () => {
    expect(promtool('check', 'rules', 'deploy/prometheus/rules.yml')).toContain(`${alerts.length} rules found`);
    expect(promtool('check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml')).toContain('SUCCESS');
  });

  itWithPromtool('fire in their tests, and are silent for a healthy service', () => {
    const tests = read('deploy/prometheus/rules.test.yml');
    for (const { alert } of alerts) expect(tests.split(`name: ${alert}\n`).length).toBeGreaterThan(2);
    expect(promtool('test', 'rules', 'deploy/prometheus/rules.test.yml')).toContain('SUCCESS');
  });
});

describe('the number of workers in the autoscaled overlay', () => {
  /** Evaluates the query as a rule over a queue state. */
  const cases = [
    { name: 'grows with the age of the oldest chunk', age: 150, isPaused: 0, wanted: 150 },
    { name: 'does not grow while the queue is paused', age: 150, isPaused: 1, wanted: 0 },
  ];
  itWithPromtool.each(cases)('$name', ({ age, isPaused, wanted }) => {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-scaling-'));
    const { spec } = parse(read('deploy/kubernetes/overlays/autoscaled/worker-scaling.yaml')) as Scaling;
    const [{ metadata }] = spec.triggers;
    const rules = [{ record: 'wanted', expr: metadata.query }];
    writeFileSync(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'scaling', rules }] }));
    const series = (metric: string, value: number) => ({
      series: `${metric}{instance="a",queue="enrich"}`,
      values: `${value}x5`,
    });
    const input_series = [
      series('donorlens_queue_oldest_waiting_seconds', age),
      series('donorlens_queue_paused', isPaused),
    ];
    const promql_expr_test = [{ expr: 'wanted', eval_time: '2m', exp_samples: [{ labels: 'wanted', value: wanted }] }];
    const tests = [{ interval: '1m', input_series, promql_expr_test }];
    writeFileSync(join(folder, 'test.yml'), stringify({ rule_files: ['rules.yml'], tests }));
    try {
      expect(promtool('test', 'rules', join(folder, 'test.yml'))).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** One list for each source. Runtime metrics, which the Prometheus client library defines, are listed by type. */
function metricLists(): string {
  const isOfRuntime = (name: string): boolean => /^(nodejs|process)_/.test(name);
  const shown = (name: string, labels: readonly string[]): string =>
    `\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``;
  const all = Object.entries(METRICS);
  const own = all.filter(([name]) => !isOfRuntime(name));
  const lists = [...new Set(own.map(([, { source }]) => source))].map((source) => {
    const items = own
      .filter(([, metric]) => metric.source === source)
      .map(
        ([name, { type, labels, help }]) =>
          `- ${shown(name, labels)}${type === 'gauge' ? '' : ` (${type})`}: ${help}\n`,
      );
    return `### Source: ${source}\n\n${items.join('')}`;
  });
  const runtime = all.filter(([name]) => isOfRuntime(name));
  const types = [...new Set(runtime.map(([, { type }]) => type))].map((type) => {
    const names = runtime.filter(([, metric]) => metric.type === type).map(([name, { labels }]) => shown(name, labels));
    return `- ${type}: ${names.join(', ')}\n`;
  });
  return `${lists.join('\n')}\n### Runtime of every process\n\n${types.join('')}`;
}

describe('docs/metrics.md', () => {
  /** Written by: UPDATE_DOCS=1 npm test -- test/deploy-prometheus */
  it('lists every metric with its labels, and no other', () => {
    const begin = '<!-- metrics -->\n\n';
    const end = '\n<!-- end of metrics -->';
    const [before, rest] = read('docs/metrics.md').split(begin.trimEnd());
    const after = rest.slice(rest.indexOf(end));
    const wanted = before + begin + metricLists() + after;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(join(ROOT, 'docs/metrics.md'), wanted);
    else expect(read('docs/metrics.md')).toBe(wanted);
  });
});
