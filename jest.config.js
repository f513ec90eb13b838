const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const [{ module: asBuilt }] = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

/** Names of the installed packages that are ES modules. */
function esModules(folder = join(__dirname, 'node_modules')) {
  const names = readdirSync(folder).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : name,
  );
  return names.flatMap((name) => {
    const manifest = join(folder, name, 'package.json');
    const nested = join(folder, name, 'node_modules');
    const isModule = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).type === 'module';
    return [...(isModule ? [name] : []), ...(existsSync(nested) ? esModules(nested) : [])];
  });
}
const compiled = [...new Set(esModules())].map((name) => name.replaceAll('.', '\\.')).join('|');

/** Nest 12 is ESM only; Node 20's Jest cannot require(esm), so our modules and those of node_modules are compiled to CommonJS. */
const typescript = (tsx) => ({
  swcrc: false,
  sourceMaps: true,
  module: asBuilt,
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true, tsx },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic', importSource: 'preact' },
    },
  },
});
const javascript = {
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } },
};

module.exports = {
  testEnvironment: 'node',
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/clients', '<rootDir>/libs', '<rootDir>/test'],
  testRegex: '\\.(int-|e2e-)?spec\\.tsx?$',
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/clients/typescript/dist', '<rootDir>/.donorlens'],
  moduleNameMapper: {
    '^@donorlens/client$': '<rootDir>/clients/typescript/src',
    '^@donorlens/([^/]+)$': '<rootDir>/libs/$1/src',
  },
  transform: {
    '^.+\\.ts$': ['@swc/jest', typescript(false)],
    '^.+\\.tsx$': ['@swc/jest', typescript(true)],
    '^.+\\.m?js$': ['@swc/jest', javascript],
  },
  // What is CommonJS already: reading it costs Jest less than compiling it, or looking up that it did.
  transformIgnorePatterns: [`/node_modules/(?!(?:${compiled})/)(?!.*/node_modules/).*\\.js$`],
  cacheDirectory: '<rootDir>/.jest-cache',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/sequencer.js',
  reporters: ['default', '<rootDir>/test/support/plain-reporter.js'],
  maxWorkers: 3, // most of a suite's time is waiting for servers: Jest's own choice for two cores is one
  workerIdleMemoryLimit: '800MB', // modules of earlier suites stay: about 20 MB a suite
  testTimeout: 180_000, // only ends a test that hangs
};
