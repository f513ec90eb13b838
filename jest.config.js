const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const [{ module: asBuilt }] = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

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

module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
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
  },
  transformIgnorePatterns: ['/node_modules/'],
  cacheDirectory: '<rootDir>/.jest-cache',
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/jest/sequencer.js',
  reporters: ['default', '<rootDir>/test/support/jest/plain-reporter.js'],
  maxWorkers: 4, // whole services mostly wait for leases and timeouts: two processes for each of two cores
  workerIdleMemoryLimit: '800MB', // modules of earlier suites stay: about 20 MB a suite
  testTimeout: 900_000, // only ends a test that hangs
};
