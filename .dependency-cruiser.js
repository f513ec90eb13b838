/** The import table: each lib, and the libs it may look at. Everything else is an error. Apps compose libs and do not know each other. */
const TABLE = {
  primitives: [],
  config: ['primitives'],
  'local-servers': ['primitives', 'config'],
  tabular: ['primitives'],
  demographics: ['primitives'],
  observability: ['primitives', 'config'],
  database: ['primitives', 'config', 'observability'],
  queues: ['primitives', 'config', 'observability'],
  'access-keys': ['primitives', 'config', 'observability', 'database'],
  downloads: ['primitives', 'config', 'observability', 'database'],
  locations: ['primitives', 'config', 'database', 'observability'],
  geocoding: ['primitives', 'tabular', 'config', 'database', 'observability', 'locations'],
  'reference-data': ['primitives', 'demographics', 'config', 'downloads', 'database', 'observability'],
  'campaign-finance': ['primitives', 'tabular', 'demographics', 'database', 'observability', 'locations'],
  'fec-sample': ['primitives', 'tabular', 'demographics', 'campaign-finance'],
  enrichment: [
    'primitives',
    'tabular',
    'demographics',
    'locations',
    'reference-data',
    'campaign-finance',
    'fec-sample',
    'database',
    'observability',
  ],
  evaluation: ['primitives', 'tabular', 'demographics', 'enrichment'],
  batches: ['primitives', 'tabular', 'demographics', 'queues', 'database', 'observability', 'locations'],
  imports: [
    'primitives',
    'tabular',
    'demographics',
    'config',
    'downloads',
    'observability',
    'database',
    'queues',
    'batches',
    'locations',
    'reference-data',
    'campaign-finance',
  ],
  charts: ['primitives', 'demographics', 'campaign-finance', 'database', 'observability'],
  operations: [
    'primitives',
    'config',
    'queues',
    'database',
    'observability',
    'batches',
    'locations',
    'access-keys',
    'reference-data',
    'campaign-finance',
    'charts',
  ],
  webhooks: ['primitives', 'config', 'database', 'observability', 'batches'],
};
/** The folders of apps/api/src, lowest first, and the sibling folders that each may import. */
const API_FOLDERS = {
  http: [],
  schemas: ['http'],
  monitoring: ['http'],
  access: ['http'],
  batches: ['http', 'schemas', 'access'],
  charts: ['http', 'schemas', 'access'],
  ops: ['http', 'schemas', 'access'],
  lookups: ['http', 'schemas', 'access', 'batches'],
  openapi: ['http', 'schemas', 'access', 'charts'],
  web: ['http', 'schemas', 'access', 'batches', 'charts', 'ops', 'lookups', 'openapi'],
};
const APPS = ['api', 'worker', 'aggregator', 'cli'];

const libRules = Object.entries(TABLE).map(([lib, allowed]) => ({
  name: `lib-${lib}`,
  severity: 'error',
  from: { path: `^libs/${lib}/` },
  to: { path: '^(libs|apps)/', pathNot: `^libs/(${[lib, ...allowed].join('|')})/` },
}));

const apiRules = Object.entries(API_FOLDERS).map(([folder, allowed]) => ({
  name: `api-${folder}`,
  severity: 'error',
  from: { path: `^apps/api/src/${folder}/`, pathNot: 'spec\\.tsx?$' },
  to: { path: '^apps/api/src/', pathNot: `^apps/api/src/(${[folder, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...libRules,
    ...apiRules,
    {
      name: 'known-api-folder',
      severity: 'error',
      from: {},
      to: { path: '^apps/api/src/[^/]+/', pathNot: `^apps/api/src/(${Object.keys(API_FOLDERS).join('|')})/` },
    },
    {
      name: 'known-lib',
      severity: 'error',
      from: {},
      to: { path: '^libs/', pathNot: `^libs/(${Object.keys(TABLE).join('|')})/` },
    },
    {
      name: 'one-door',
      comment: 'Other folders enter a lib by its index.ts only.',
      severity: 'error',
      from: { path: '^(?:libs|apps)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index\\.ts$'] },
    },
    ...APPS.map((app) => ({
      name: `app-${app}`,
      severity: 'error',
      from: { path: `^apps/${app}/` },
      to: { path: '^apps/', pathNot: `^apps/${app}/` },
    })),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'pure-demographics',
      comment: 'Domain arithmetic knows no framework, clock, database or network.',
      severity: 'error',
      from: { path: '^libs/(demographics|primitives)/src/', pathNot: 'spec\\.ts$' },
      to: { dependencyTypes: ['npm', 'core'] },
    },
    {
      name: 'api-never-geocodes',
      comment: 'By no way at all: no request can wait on an outside service.',
      severity: 'error',
      from: { path: '^apps/api/' },
      to: { path: '^libs/geocoding/', reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
