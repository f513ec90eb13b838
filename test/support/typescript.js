/** `node -r test/support/typescript.js file.ts` runs a source file of this repository, by the same rules as the build. */
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) =>
  module._compile(transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: 'inline' }).code, filename);
