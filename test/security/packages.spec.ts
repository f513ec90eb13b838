import { checkLockFile, checkPackages } from './packages/packages';
import { expectPassed, FULL } from './security-service';

describe('packages', () => {
  it('are locked with checksums, have known licenses and run no unknown install script', () =>
    expect(checkLockFile()).toMatchObject({ passed: true }));

  if (FULL)
    it(
      'have no known vulnerability, and a fresh clone starts without install scripts',
      async () => expectPassed('packages', await checkPackages('dist/sbom.cdx.json')),
      1_800_000,
    );
});
