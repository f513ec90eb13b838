import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readConfig } from '@donorlens/config';
import { METRICS } from '@donorlens/observability';
import { parse, parseAllDocuments } from 'yaml';
import { settingNames, textOf } from './support/deploy/deployment';
import { ROOT } from './support/service/service';

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}
interface Container {
  readonly command?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: unknown;
  readonly [probe: string]: unknown;
}
interface Deployment extends Named {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly shareProcessNamespace?: boolean;
        readonly securityContext: unknown;
        readonly containers: readonly Container[];
      };
    };
  };
}
interface Kustomization {
  readonly resources?: readonly string[];
  readonly patches?: readonly {
    readonly path: string;
    readonly target: { readonly kind: string; readonly name: string };
  }[];
  readonly configMapGenerator?: readonly { readonly envs?: readonly string[]; readonly literals?: readonly string[] }[];
}

const FOLDER = 'deploy/kubernetes';
const OVERLAYS = ['base', 'overlays/autoscaled', 'overlays/production'];
const ROLES = ['api', 'worker', 'aggregator'];

const pathsOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)));
const objectsIn = (text: string): Named[] => parseAllDocuments(text).map((document) => document.toJS() as Named);
const kustomizationOf = (overlay: string): Kustomization =>
  parse(textOf(`${FOLDER}/${overlay}/kustomization.yaml`)) as Kustomization;
const pairsIn = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );

/** Files with complete objects, not patches or kustomizations. */
const resourceFiles = OVERLAYS.flatMap((overlay) =>
  (kustomizationOf(overlay).resources ?? [])
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => `${FOLDER}/${overlay}/${path}`),
);
const secretFile = `${FOLDER}/base/secret.example.yaml`;
const objects = [...resourceFiles, secretFile].flatMap((path) => objectsIn(textOf(path)));
const ofKind = <T extends Named>(kind: string): T[] => objects.filter((object) => object.kind === kind) as T[];
const roleOf = (name: string): Deployment => {
  const found = ofKind<Deployment>('Deployment').find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`no Deployment ${name}`);
  return found;
};

/** Errors by the schemas and types of the Kubernetes API; see the script. */
const faultsOf = (list: readonly Named[]): string[] =>
  JSON.parse(
    execFileSync(process.execPath, [join(ROOT, 'test/support/deploy/kubernetes-faults.mjs')], {
      input: JSON.stringify(list),
      cwd: ROOT,
    }).toString(),
  ) as string[];

const hasKubectl = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'kubectl')));

describe('the Kubernetes files', () => {
  it('are valid API objects without unknown fields', () => {
    expect(objects.length).toBeGreaterThan(15);
    const text = JSON.stringify(roleOf('api')).replace('readOnlyRootFilesystem', 'readOnlyRoot');
    const misspelt = JSON.parse(text) as Named;
    expect(faultsOf([...objects, misspelt])).toEqual([expect.stringMatching(/^Deployment api: .*readOnlyRoot/)]);
  });

  it('list every file', () => {
    const named = OVERLAYS.flatMap((overlay) => {
      const { resources = [], patches = [], configMapGenerator = [] } = kustomizationOf(overlay);
      const paths = [
        ...resources,
        ...patches.map(({ path }) => path),
        ...configMapGenerator.flatMap(({ envs = [] }) => envs),
      ];
      return ['kustomization.yaml', ...paths].map((path) => join(FOLDER, overlay, path));
    });
    for (const path of named) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
    expect(pathsOf(FOLDER).filter((path) => !named.includes(path))).toEqual([secretFile]);
  });

  it('patch and scale existing objects', () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const overlay of OVERLAYS)
      for (const { target } of kustomizationOf(overlay).patches ?? [])
        expect(names).toContain(`${target.kind} ${target.name}`);
    for (const { spec } of ofKind<Named & { spec: { scaleTargetRef: { name: string } } }>('ScaledObject'))
      expect(names).toContain(`Deployment ${spec.scaleTargetRef.name}`);
  });

  it('select existing pods', () => {
    const pods = ROLES.map((role) => roleOf(role).spec.template.metadata.labels);
    const selects = (selector: object) =>
      pods.some((labels) => Object.entries(selector).every(([name, value]) => labels[name] === value));
    for (const role of ROLES) expect(selects(roleOf(role).spec.selector.matchLabels)).toBe(true);
    for (const { spec } of ofKind<Named & { spec: { selector: { matchLabels: object } } }>('PodDisruptionBudget'))
      expect(selects(spec.selector.matchLabels)).toBe(true);
    for (const { spec } of ofKind<Named & { spec: { selector: object } }>('Service'))
      expect(selects(spec.selector)).toBe(true);
    expect(ofKind('PodDisruptionBudget')).toHaveLength(ROLES.length);
  });

  it('set only variables that the role reads', () => {
    const [{ stringData }] = ofKind<Named & { stringData: Record<string, string> }>('Secret');
    const base = pairsIn(textOf(`${FOLDER}/base/settings.env`).split('\n'));
    const production = pairsIn(
      (kustomizationOf('overlays/production').configMapGenerator ?? []).flatMap((one) => one.literals ?? []),
    );
    const given = { ...base, ...production, ...stringData };
    expect(Object.keys(given).filter((name) => !settingNames().includes(name))).toEqual([]);
    expect(readConfig(given)).toMatchObject({ port: 3000, metricsPort: 9464, queueBackend: 'redis', host: '0.0.0.0' });
  });

  it.each(ROLES)('probe liveness and readiness of the %s on its port, and give it time to stop', (role) => {
    const { terminationGracePeriodSeconds, shareProcessNamespace, containers } = roleOf(role).spec.template.spec;
    const [container] = containers;
    const port = role === 'api' ? { name: 'http', containerPort: 3000 } : { name: 'metrics', containerPort: 9464 };
    expect(container.ports).toEqual([port]);
    expect(container.startupProbe).toMatchObject({ httpGet: { path: '/health/live', port: port.name } });
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/health/live', port: port.name } });
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/health/ready', port: port.name } });
    expect(terminationGracePeriodSeconds).toBeGreaterThan(25);
    expect(shareProcessNamespace).toBe(true); // a process with id 1 ignores signals without a handler
  });

  it('run the commands and limits of the tested image', () => {
    const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { command?: string[] }>;
    };
    for (const role of ROLES)
      expect(roleOf(role).spec.template.spec.containers[0].command).toEqual(services[role].command);
  });

  it('run pods without root, privileges or writable images', () => {
    for (const { spec } of [...ofKind<Deployment>('Deployment'), ...ofKind<Deployment>('Job')]) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod).toMatchObject({ automountServiceAccountToken: false });
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        });
    }
  });

  it('scale by an existing metric', () => {
    const text = textOf(`${FOLDER}/overlays/autoscaled/worker-scaling.yaml`);
    const [, name, label] = /query: .*?\b(donorlens_\w+)\{(\w+)="enrich"\}/.exec(text) ?? [];
    expect(Object.keys(METRICS)).toContain(name);
    expect(METRICS[name as keyof typeof METRICS].labels).toContain(label);
  });

  // Debian has no kubectl package. Without kubectl, the files are only checked one by one.
  (hasKubectl ? it : it.skip)('render as a whole', () => {
    const render = (overlay: string) =>
      objectsIn(execFileSync('kubectl', ['kustomize', join(ROOT, FOLDER, overlay)]).toString());
    const rendered = OVERLAYS.map(render);
    expect(faultsOf(rendered.flat())).toEqual([]);
    const images = [...JSON.stringify(rendered).matchAll(/"image":"([^"]+)"/g)].map((match) => match[1]);
    expect(images).toHaveLength(4 * OVERLAYS.length);
    for (const image of images) expect(image).toMatch(/^registry\.example\.org\/.*donorlens:\d/);
  });
});
