const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes longest begins first. On a fresh clone Jest knows no times: then the kind of a file tells, whole services before servers before the rest. */
const KINDS = [/\.e2e-spec\./, /[\\/]test[\\/]/, /\.int-spec\./];
const rank = ({ path }) => KINDS.findIndex((kind) => kind.test(path)) >>> 0;

module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
