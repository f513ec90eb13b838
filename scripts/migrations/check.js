#!/usr/bin/env node
'use strict';

/**
 * Fails if a migration was edited or is missing in checksums.txt: donorlens would not start on existing databases.
 * usage: npm run migrations [-- FOLDER]
 */
const { createHash } = require('node:crypto');
const { readFileSync, readdirSync } = require('node:fs');
const path = require('node:path');

const folder = process.argv[2] ?? path.join(__dirname, '..', '..', 'libs', 'database', 'migrations');
const lines = readFileSync(path.join(folder, 'checksums.txt'), 'utf8').trim().split('\n');
for (const file of readdirSync(folder).filter((name) => name.endsWith('.sql'))) {
  const line = `${createHash('sha256')
    .update(readFileSync(path.join(folder, file)))
    .digest('hex')}  ${file}`;
  const known = lines.findLast((other) => other.endsWith(`  ${file}`));
  if (known === line) continue;
  process.exitCode = 1;
  console.error(
    known
      ? `${file} was edited: restore it and write the change as a new migration`
      : `${file} is new: add this line to checksums.txt:\n${line}`,
  );
}
