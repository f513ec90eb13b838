import fc from 'fast-check';
import { fieldsOf, kindOf, separatorOf } from './filing-fields';

const text = fc.string().map((raw) => raw.replace(/[\x00-\x1f"]/g, '').trim());

describe('fieldsOf', () => {
  it.each([
    ['a,b,,c', ['a', 'b', '', 'c']],
    ['"a","b, c",""', ['a', 'b, c', '']],
    ['"say ""yes"", he said",1', ['say "yes", he said', '1']],
    ['"Bob "Bobby" Doe",1', ['Bob "Bobby" Doe', '1']],
    ['"never closed,1', ['never closed,1']],
    ['', ['']],
    ['a,', ['a', '']],
    ['5" pipe,1', ['5" pipe', '1']],
  ])('commas: %j', (line, fields) => {
    expect(fieldsOf(Buffer.from(line), ',')).toEqual(fields);
  });

  it('character 28: only the outer quotes are removed', () => {
    const line = ['SA17A', '"SAY "YES""', ' x ', '"', '""'].join('\x1c');
    expect(fieldsOf(Buffer.from(line), '\x1c')).toEqual(['SA17A', 'SAY "YES"', 'x', '"', '']);
  });

  it('reads back quoted fields', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (fields) => {
        expect(fieldsOf(Buffer.from(fields.map((field) => `"${field}"`).join(',')), ',')).toEqual(fields);
        expect(fieldsOf(Buffer.from(fields.join('\x1c')), '\x1c')).toEqual(fields);
      }),
    );
  });

  it('never has a record separator in a field', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom(',', '\x1c'), (bytes, separator) => {
        for (const field of fieldsOf(Buffer.from(bytes), separator)) expect(field).not.toMatch(/[\x00-\x1f]/);
      }),
    );
  });
});

describe('kindOf and separatorOf', () => {
  it('detect a line by its start', () => {
    expect(separatorOf(Buffer.from('HDR\x1cFEC\x1c8.3'))).toBe('\x1c');
    expect(separatorOf(Buffer.from('"HDR","FEC","3.00"'))).toBe(',');
    expect(kindOf(Buffer.from('"SA11A1","C0"'), ',')).toBe('SA11A1');
    expect(kindOf(Buffer.from('sa17a\x1cC0'), '\x1c')).toBe('SA17A');
    expect(kindOf(Buffer.from('TEXT'), '\x1c')).toBe('TEXT');
  });
});
