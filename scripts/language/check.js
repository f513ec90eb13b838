#!/usr/bin/env node
'use strict';

/**
 * Fails where a retired term of retired-terms.js stands in a source file, a script, a test or a document.
 * usage: npm run language [-- FILE…]; without files, those below the folders of SEARCHED. Exit code 1 if a term was found.
 */
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const groups = require('./retired-terms.js');

const ROOT = path.join(__dirname, '..', '..');
const SEARCHED = ['apps', 'libs', 'scripts', 'test', 'clients', 'deploy', 'docs', 'bin', '*.md', '*.yml', '*.js'];
/** Released migrations are never edited and their earlier forms are quoted, the sample is data, results are written by commands. */
const EXEMPT = [
  /^scripts\/language\//,
  /^test\/language\.spec\.ts$/,
  /^libs\/database\/(migrations|src\/migrations\/earlier-forms\.int-spec\.ts$)/,
  /^libs\/reference-data\/sample\//,
  /^docs\/results\//,
  /\.(png|gz|zip|xlsx|lock)$/,
];

const terms = groups.flatMap(({ reason, identifiers = {}, phrases = {} }) => [
  ...Object.entries(identifiers).map(([found, write]) => ({ pattern: new RegExp(`\\b${found}\\b`), write, reason })),
  ...Object.entries(phrases).map(([found, write]) => ({ pattern: new RegExp(`\\b${found}\\b`, 'i'), write, reason })),
]);

const trackedFiles = () =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...SEARCHED], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && !EXEMPT.some((exempt) => exempt.test(file)));

function findingsIn(file) {
  let text;
  try {
    text = readFileSync(path.resolve(ROOT, file), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return []; // deleted and not committed yet, or a submodule
    throw error;
  }
  return text.split('\n').flatMap((line, index) =>
    terms.flatMap(({ pattern, write, reason }) => {
      const [word] = pattern.exec(line) ?? [];
      return word === undefined ? [] : [`${file}:${index + 1}: “${word}” is retired, write ${write} (${reason})`];
    }),
  );
}

const named = process.argv.slice(2);
const findings = (named.length > 0 ? named : trackedFiles()).flatMap(findingsIn);
for (const finding of findings) console.error(finding);
if (findings.length > 0) {
  console.error(`${findings.length} retired terms. Terms and their reasons: scripts/language/retired-terms.js`);
  process.exitCode = 1;
}
