import { fromWindows1252 } from './windows-1252';

describe('windows-1252', () => {
  it('has letters and marks where Latin-1 has control characters, and is Latin-1 elsewhere', () => {
    expect(fromWindows1252('\x93PE\xd1A\x94 \x96 \x80 5')).toBe('“PEÑA” – € 5');
    expect(fromWindows1252('\x9f\x81')).toBe('Ÿ\x81');
  });
});
