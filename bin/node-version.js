'use strict';
// Old syntax, because every Node.js version parses this. Nest 12 is ESM only and needs require(esm) without a flag.
var have = process.versions.node.split('.').map(Number);
var enough = have[0] > 22 || (have[0] === 22 && have[1] >= 12) || (have[0] === 20 && have[1] >= 19);
if (!enough) {
  process.stderr.write(
    'donorlens needs Node 20.19 or newer of 20, 22.12 or newer of 22, or 23 and up; this is ' + process.version + '\n',
  );
  process.exit(2);
}
