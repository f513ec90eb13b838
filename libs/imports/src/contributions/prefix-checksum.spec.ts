import fc from 'fast-check';
import { sha256Of } from '../../../../test/support/fec-data/itcont';
import { PrefixChecksum } from './itcont-reading';

describe('the checksum of the whole lines', () => {
  it('is that of the text up to the last line end, however the text is cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n') });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), (pieces) => {
        const checksum = new PrefixChecksum();
        let whole = '';
        for (const piece of pieces) {
          whole += piece;
          const lineEnd = whole.lastIndexOf('\n') + 1;
          checksum.add(Buffer.from(piece), lineEnd);
          expect(checksum.digest().toString('hex')).toBe(sha256Of(whole.slice(0, lineEnd)));
        }
        expect(checksum.bytes).toBe(whole.length);
      }),
    );
  });

  it('takes in a last line without a line end when told so', () => {
    const checksum = new PrefixChecksum();
    checksum.add(Buffer.from('a\nb'), 2);
    checksum.finish();
    expect(checksum.digest().toString('hex')).toBe(sha256Of('a\nb'));
  });
});
