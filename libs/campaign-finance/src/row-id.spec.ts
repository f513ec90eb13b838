import fc from 'fast-check';
import { rowIdOfFiled } from './row-id';

describe('the id of a row of an electronic filing', () => {
  it('does not change between releases, because stored rows use it', () => {
    expect(rowIdOfFiled('C99900001', '1385191', 'SA17A.1')).toBe('-5785683172862749931');
  });

  it('differs for another committee, filing or transaction', () => {
    const id = rowIdOfFiled('C99900001', '1385191', 'SA17A.1');
    expect(rowIdOfFiled('C99900002', '1385191', 'SA17A.1')).not.toBe(id);
    expect(rowIdOfFiled('C99900001', '1385192', 'SA17A.1')).not.toBe(id);
    expect(rowIdOfFiled('C99900001', '1385191', 'SA17A.2')).not.toBe(id);
  });

  it('is a negative 64-bit number', () => {
    fc.assert(
      fc.property(fc.string(), (tranId) => {
        const id = BigInt(rowIdOfFiled('C99900001', '-17', tranId));
        expect(id < 0n && id >= -(2n ** 63n)).toBe(true);
      }),
    );
  });
});
