import { encodingOf, fromWindows1252 } from './text-encoding';

describe('the encoding of a file', () => {
  const utf8 = Buffer.from('José\n');
  const latin1 = Buffer.from('José\n', 'latin1');
  const ascii = Buffer.from('Mary\n');

  it('is UTF-8 if its lines are', () => {
    expect(encodingOf(Buffer.concat([ascii, utf8]))).toBe('utf-8');
    expect(encodingOf(Buffer.alloc(0))).toBe('utf-8');
  });

  it('is windows-1252 if they are not, and mixed if some are', () => {
    expect(encodingOf(Buffer.concat([ascii, latin1]))).toBe('windows-1252');
    expect(encodingOf(latin1.subarray(0, 4))).toBe('windows-1252');
    expect(encodingOf(Buffer.concat([latin1, ascii, utf8]))).toBe('mixed');
  });

  it('does not depend on the end of the sample', () => {
    expect(encodingOf(Buffer.concat([utf8, utf8.subarray(0, 4)]))).toBe('utf-8');
  });
});

describe('windows-1252', () => {
  it('has letters and marks instead of the control characters of Latin-1', () => {
    expect(fromWindows1252('\x93PE\xd1A\x94 \x96 \x80 5')).toBe('“PEÑA” – € 5');
    expect(fromWindows1252('\x9f\x81')).toBe('Ÿ\x81');
  });
});
