/** Exact-match index of ASCII keys. */
export interface KeyIndex {
  readonly size: number;
  /** Position of the key, -1 if the index does not contain it. Allocates nothing. */
  find(key: string): number;
  keyAt(index: number): string;
}

/** Typed arrays of an index, which a file of a data release stores and loads without copying. */
export interface KeyIndexParts {
  /** all keys concatenated, one byte per letter */
  readonly blob: Uint8Array;
  /** key i is blob[offsets[i]] up to offsets[i + 1]; one entry more than there are keys */
  readonly offsets: Uint32Array;
  /** open addressing, length a power of two: 0 is empty, else 12 bits of the hash above 20 bits of index + 1 */
  readonly slots: Uint32Array;
}

const INDEX_BITS = 20;
const INDEX_MASK = (1 << INDEX_BITS) - 1;
const HASH_PRIME = 0x01000193;

/** FNV-1a, byte by byte, so that callers fold and hash in one pass. A change invalidates the stored slots. */
export const HASH_SEED = 0x811c9dc5 | 0;
export const hashByte = (hash: number, byte: number): number => Math.imul(hash ^ byte, HASH_PRIME);

const spread = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return mixed ^ (mixed >>> 15);
};
const tagOf = (mixed: number): number => mixed & ~INDEX_MASK;

/** KeyIndex with stored hash slots: loading creates views only, a lookup usually needs one probe and one comparison. */
export class PackedKeyIndex implements KeyIndex {
  readonly size: number;
  private readonly mask: number;

  constructor(readonly parts: KeyIndexParts) {
    this.size = parts.offsets.length - 1;
    this.mask = parts.slots.length - 1;
    if (this.size < 0 || parts.slots.length <= this.size || (parts.slots.length & this.mask) !== 0)
      throw new RangeError(`a key index of ${this.size} keys cannot have ${parts.slots.length} slots`);
  }

  /** @throws RangeError for a repeated, empty or non-ASCII key, and for more than 1,048,574 keys */
  static build(keys: readonly string[]): PackedKeyIndex {
    if (keys.length >= INDEX_MASK) throw new RangeError(`a key index holds at most ${INDEX_MASK - 1} keys`);
    const offsets = new Uint32Array(keys.length + 1);
    keys.forEach((key, i) => (offsets[i + 1] = offsets[i] + key.length));
    const blob = new Uint8Array(offsets[keys.length]);
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(2, keys.length * 2))));
    const index = new PackedKeyIndex({ blob, offsets, slots });
    keys.forEach((key, i) => index.insert(key, i));
    return index;
  }

  find(key: string): number {
    let hash = HASH_SEED;
    for (let i = 0; i < key.length; i++) hash = hashByte(hash, key.charCodeAt(i));
    const { slots } = this.parts;
    const mixed = spread(hash);
    const tag = tagOf(mixed);
    for (let at = mixed & this.mask; slots[at] !== 0; at = (at + 1) & this.mask) {
      if (((slots[at] ^ tag) & ~INDEX_MASK) !== 0) continue;
      const found = (slots[at] & INDEX_MASK) - 1;
      if (this.hasKeyAt(found, key)) return found;
    }
    return -1;
  }

  /** Like `find`, for a folded key in `bytes` from `from` to `to` (exclusive), with its hash from `hashByte`. */
  findBytes(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const { slots } = this.parts;
    const mixed = spread(hash);
    const tag = tagOf(mixed);
    for (let at = mixed & this.mask; slots[at] !== 0; at = (at + 1) & this.mask) {
      if (((slots[at] ^ tag) & ~INDEX_MASK) !== 0) continue;
      const found = (slots[at] & INDEX_MASK) - 1;
      if (this.holds(found, bytes, from, to)) return found;
    }
    return -1;
  }

  keyAt(index: number): string {
    const { blob, offsets } = this.parts;
    let key = '';
    for (let i = offsets[index]; i < offsets[index + 1]; i++) key += String.fromCharCode(blob[i]);
    return key;
  }

  private hasKeyAt(index: number, key: string): boolean {
    const { blob, offsets } = this.parts;
    const start = offsets[index];
    if (offsets[index + 1] - start !== key.length) return false;
    for (let i = 0; i < key.length; i++) if (blob[start + i] !== key.charCodeAt(i)) return false;
    return true;
  }

  private holds(index: number, bytes: Uint8Array, from: number, to: number): boolean {
    const { blob, offsets } = this.parts;
    const start = offsets[index];
    if (offsets[index + 1] - start !== to - from) return false;
    for (let i = from; i < to; i++) if (blob[start + i - from] !== bytes[i]) return false;
    return true;
  }

  private insert(key: string, index: number): void {
    if (key === '' || this.find(key) >= 0) throw new RangeError(`key ${index} is empty or repeated: ${key}`);
    const { blob, offsets, slots } = this.parts;
    let hash = HASH_SEED;
    for (let i = 0; i < key.length; i++) {
      const code = key.charCodeAt(i);
      if (code > 127) throw new RangeError(`key ${index} is not ASCII: ${key}`);
      blob[offsets[index] + i] = code;
      hash = hashByte(hash, code);
    }
    const mixed = spread(hash);
    let at = mixed & this.mask;
    while (slots[at] !== 0) at = (at + 1) & this.mask;
    slots[at] = tagOf(mixed) | (index + 1);
  }
}
