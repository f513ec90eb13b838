const { default: Sequencer } = require('@jest/test-sequencer');

/** Slow files first. A fresh clone has no recorded times; then whole services run before servers, before the rest. */
const KINDS = [/\.e2e-spec\./, /[\\/]test[\\/]/, /\.int-spec\./];
const rank = ({ path }) => KINDS.findIndex((kind) => kind.test(path)) >>> 0;

module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
