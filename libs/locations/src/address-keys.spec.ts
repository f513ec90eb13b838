import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { ConfigError, readConfig } from '@donorlens/config';
import { normalisedAddress } from './address';
import { AddressKeys, Hmac } from './address-keys';

const OPTIONS = { secret: 'a secret for tests only', benchmark: 'Public_AR_Current', vintage: 'Census2020_Current' };
const KEYS = new AddressKeys(OPTIONS);
const HOUSE = { street: '12 Elm St', city: 'Springfield', state: 'IL', zip: '62701' };

const hmac = (secret: string, message: string) => createHmac('sha256', secret).update(message, 'utf8').digest();

describe('HMAC-SHA-256 of one secret', () => {
  it('is that of the standard, for any secret and any messages one after the other', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), (secret, messages) => {
        const ours = new Hmac(secret);
        for (const message of messages) expect(ours.digest(message)).toEqual(hmac(secret, message));
      }),
    );
  });

  it('accepts a secret longer than a block and a growing message', () => {
    const ours = new Hmac('s'.repeat(65));
    for (const length of [0, 5000, 3, 20_000, 64])
      expect(ours.digest('é'.repeat(length))).toEqual(hmac('s'.repeat(65), 'é'.repeat(length)));
  });
});

describe('the id of a donor', () => {
  it('is the first 16 bytes of the HMAC of the donor key, and depends on the secret', () => {
    expect(KEYS.donorIdOf('-7')).toEqual(hmac(OPTIONS.secret, 'donor\0-7').subarray(0, 16));
    expect(new AddressKeys({ ...OPTIONS, secret: 'another secret for tests' }).donorIdOf('-7')).not.toEqual(
      KEYS.donorIdOf('-7'),
    );
    expect(new AddressKeys({ ...OPTIONS, vintage: 'later' }).donorIdOf('-7')).toEqual(KEYS.donorIdOf('-7'));
  });
});

describe('the key of an address', () => {
  it('is the first 16 bytes of the HMAC of its form, with benchmark and vintage before it', () => {
    const message = `address\0Public_AR_Current\0Census2020_Current\0${normalisedAddress(HOUSE)}`;
    expect(KEYS.keyOf(HOUSE)).toEqual(hmac(OPTIONS.secret, message).subarray(0, 16));
  });

  it('is the same for all spellings of an address, and is not changed by later keys', () => {
    const key = KEYS.keyOf(HOUSE);
    expect(KEYS.keyOf({ street: '12 ELM ST. #4', city: 'springfield', state: 'Illinois', zip: '627010003' })).toEqual(
      key,
    );
    expect(KEYS.keyOf({ ...HOUSE, street: '13 Elm St' })).not.toEqual(key);
    expect(KEYS.keyOf(HOUSE)).toEqual(key);
  });

  it('depends on secret, benchmark and vintage, which are separated', () => {
    const others = [
      { ...OPTIONS, secret: 'another secret for tests' },
      { ...OPTIONS, benchmark: 'Public_AR_Census2020' },
      { ...OPTIONS, vintage: 'Current_Current' },
      { ...OPTIONS, benchmark: 'Public_AR_CurrentC', vintage: 'ensus2020_Current' },
    ];
    const keys = [OPTIONS, ...others].map((options) => new AddressKeys(options).keyOf(HOUSE)?.toString('hex'));
    expect(new Set(keys).size).toBe(5);
  });

  it('is null for an address that is not geocoded', () => {
    expect(KEYS.keyOf({ ...HOUSE, street: 'PO Box 12' })).toBeNull();
    expect(KEYS.keyOf({ ...HOUSE, state: 'ZZ' })).toBeNull();
  });
});

describe('the id of a matched address', () => {
  const ID = KEYS.addressIdOf('12 ELM ST, SPRINGFIELD, IL, 62701');

  it('is the same for its spellings, and for any benchmark and vintage', () => {
    expect(ID).toHaveLength(16);
    expect(KEYS.addressIdOf('12 Elm St,  Springfield, IL,62701 ')).toEqual(ID);
    const later = new AddressKeys({ ...OPTIONS, benchmark: 'Public_AR_Census2020', vintage: 'Current_Current' });
    expect(later.addressIdOf('12 ELM ST, SPRINGFIELD, IL, 62701')).toEqual(ID);
  });

  it('differs for another house or secret, and from address keys', () => {
    expect(KEYS.addressIdOf('14 ELM ST, SPRINGFIELD, IL, 62701')).not.toEqual(ID);
    expect(new AddressKeys({ ...OPTIONS, secret: 'another secret for tests' }).addressIdOf('12 ELM ST')).not.toEqual(
      KEYS.addressIdOf('12 ELM ST'),
    );
    expect(KEYS.keyOf(HOUSE)).not.toEqual(KEYS.addressIdOf(normalisedAddress(HOUSE)));
  });
});

describe('the secret', () => {
  it('has a fingerprint that depends on nothing else', () => {
    expect(KEYS.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(new AddressKeys({ ...OPTIONS, vintage: 'Current_Current' }).fingerprint).toBe(KEYS.fingerprint);
    expect(new AddressKeys({ ...OPTIONS, secret: 'another secret for tests' }).fingerprint).not.toBe(KEYS.fingerprint);
  });

  it('comes from the environment, and its absence is named', () => {
    const env = { ADDRESS_SECRET: OPTIONS.secret };
    expect(AddressKeys.fromConfig(readConfig(env)).keyOf(HOUSE)).toEqual(KEYS.keyOf(HOUSE));
    expect(() => AddressKeys.fromConfig(readConfig({}))).toThrow(ConfigError);
    expect(() => AddressKeys.fromConfig(readConfig({}))).toThrow('ADDRESS_SECRET');
  });
});
