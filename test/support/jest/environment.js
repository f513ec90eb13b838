const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// Jest compiles and runs every module for each test file, in a new context. Here all test files of a process share the
// context of Node.js: packages are loaded once; other modules are compiled once and run for each test file.
// ADR 2 has the measurement.

/** Packages of node_modules except those of Jest, whose modules keep the state of one test file. */
const PACKAGES = /[\\/]node_modules[\\/](?!@?jest|expect|@sinonjs|pretty-format)/;
const { compileFunction } = vm;
const compiled = new Map();

vm.compileFunction = (source, parameters, options) => {
  const { filename } = options;
  if (PACKAGES.test(filename)) return (module) => (module.exports = require(filename));
  let known = compiled.get(filename);
  if (known?.source !== source) {
    known = { source, run: compileFunction(source, parameters, { ...options, parsingContext: undefined }) };
    compiled.set(filename, known);
  }
  return known.run;
};

/** Environment of one test file. At its end, its changes to the global object and to process.env are undone. */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.keysBefore = new Set(Reflect.ownKeys(globalThis));
    this.envBefore = { ...process.env };
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global: globalThis });
  }

  async teardown() {
    await super.teardown();
    for (const key of Reflect.ownKeys(globalThis))
      if (!this.keysBefore.has(key)) Reflect.deleteProperty(globalThis, key);
    for (const name of Object.keys(process.env)) if (!(name in this.envBefore)) delete process.env[name];
    Object.assign(process.env, this.envBefore);
  }
};
