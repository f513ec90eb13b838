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
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}
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
/** A histogram is asked for by its parts. */
const baseOf = (name: string): string => {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return isMetric(base) && METRICS[base].type === 'histogram' ? base : name;
};
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:donorlens|nodejs|process)_\w+/g)].map(([name]) => baseOf(name));
/** Labels in `{…}` after a metric, with the metric. */
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
/** Without promtool there is nothing to ask; the machine that decides has it. */
const itWithPromtool = hasPromtool || process.env.CI !== undefined ? it : it.skip;

describe('alerts and dashboard', () => {
  it('ask for metrics and labels that there are', () => {
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

  it('leave out no metric of the service', () => {
    const used = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    for (const { expr } of alerts) metricsIn(expr).forEach((name) => used.add(name));
    const ours = Object.entries(METRICS).filter(([, { source }]) => source !== 'every process');
    expect(ours.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it('say how bad it is, what it is in a sentence, and which section of the runbook knows more', () => {
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(annotations.summary).toMatch(/^.{10,}\.$/);
      expect(['critical', 'warning']).toContain(labels.severity);
    }
  });

  it('have a section of the runbook each, and no section is of an alert that is gone', () => {
    const sections = [...read('docs/runbook.md').matchAll(/^#+ (Donorlens\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  itWithPromtool('are understood by Prometheus', () => {
    expect(promtool('check', 'rules', 'deploy/prometheus/rules.yml')).toContain(`${alerts.length} rules found`);
    expect(promtool('check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml')).toContain('SUCCESS');
  });

  itWithPromtool('tell when they should, each of them, and are silent of a service that is well', () => {
    const tests = read('deploy/prometheus/rules.test.yml');
    for (const { alert } of alerts) expect(tests.split(`name: ${alert}\n`).length).toBeGreaterThan(2);
    expect(promtool('test', 'rules', 'deploy/prometheus/rules.test.yml')).toContain('SUCCESS');
  });
});

describe('the number of workers in the autoscaled overlay', () => {
  /** The query as a rule, over the state of the queue and what it is to come to. */
  const cases = [
    { name: 'grows with what waits', age: 150, isPaused: 0, wanted: 150 },
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

describe('docs/metrics.md', () => {
  /** Written by: UPDATE_DOCS=1 npx jest test/deploy-prometheus */
  it('lists every metric with its labels, and no other', () => {
    const begin = '<!-- metrics -->\n\n';
    const end = '\n<!-- end of metrics -->';
    const rows = Object.entries(METRICS).map(([name, { type, labels, source, help }]) => {
      const cells = [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(' ') || ' ', source, help];
      return `| ${cells.map((cell) => cell.trim()).join(' | ')} |\n`;
    });
    const table = `| Metric | Type | Labels | Of | Meaning |\n|---|---|---|---|---|\n${rows.join('')}`;
    const [before, rest] = read('docs/metrics.md').split(begin.trimEnd());
    const after = rest.slice(rest.indexOf(end));
    const wanted = before + begin + table + after;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(join(ROOT, 'docs/metrics.md'), wanted);
    else expect(read('docs/metrics.md')).toBe(wanted);
  });
});
