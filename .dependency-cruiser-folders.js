const { options } = require('./.dependency-cruiser.js');

/** Folders of product code form no cycle, at any depth. Specs are excluded, because they may use any test support. */
module.exports = {
  forbidden: [{ name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: { ...options, exclude: { path: 'spec\\.tsx?$' }, includeOnly: { path: '^(apps|libs)/' } },
};
