import fc from 'fast-check';
import { sha256Of } from '../../../../test/support/fec-data/itcont';
import { PrefixChecksum } from './itcont-reading';

describe('the checksum of complete lines', () => {
  it('is that of the text up to the last line end, wherever pieces end', () => {
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

  it('includes a last line without a line end after finish()', () => {
    const checksum = new PrefixChecksum();
    checksum.add(Buffer.from('a\nb'), 2);
    checksum.finish();
    expect(checksum.digest().toString('hex')).toBe(sha256Of('a\nb'));
  });
});
