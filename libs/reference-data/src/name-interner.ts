/**
 * Gives each distinct lower-case ASCII name a number in order of first sight, straight from bytes.
 * Two million lines of the birth files become about a hundred thousand names without a string per line.
 */
export class NameInterner {
  private blob = new Uint8Array(1 << 20);
  private blobEnd = 0;
  private starts = new Uint32Array((1 << 17) + 1);
  private slots = new Uint32Array(1 << 18); // id + 1, 0 = free; kept at most half full
  size = 0;

  /** @param hash of the lower-cased bytes, as `nextHash` makes it */
  idOf(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.slots[slot]; entry !== 0; entry = this.slots[slot]) {
      if (this.isName(entry - 1, bytes, from, to)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    return this.add(bytes, from, to, slot);
  }

  names(): string[] {
    const text = Buffer.from(this.blob.buffer, 0, this.blobEnd).toString('latin1');
    return Array.from({ length: this.size }, (_, id) => text.slice(this.starts[id], this.starts[id + 1]));
  }

  private isName(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.starts[id];
    if (this.starts[id + 1] - start !== to - from) return false;
    for (let i = 0; i < to - from; i++) if (this.blob[start + i] !== (bytes[from + i] | 32)) return false;
    return true;
  }

  private add(bytes: Uint8Array, from: number, to: number, slot: number): number {
    if (this.blobEnd + to - from > this.blob.length) this.blob = grown(this.blob, new Uint8Array(2 * this.blob.length));
    if (this.size + 1 >= this.starts.length)
      this.starts = grown(this.starts, new Uint32Array(2 * this.starts.length - 1));
    for (let i = from; i < to; i++) this.blob[this.blobEnd++] = bytes[i] | 32;
    this.slots[slot] = this.size + 1;
    this.starts[++this.size] = this.blobEnd;
    if (2 * this.size >= this.slots.length) this.rehash();
    return this.size - 1;
  }

  private rehash(): void {
    this.slots = new Uint32Array(2 * this.slots.length);
    const mask = this.slots.length - 1;
    for (let id = 0; id < this.size; id++) {
      let hash = FIRST_HASH;
      for (let i = this.starts[id]; i < this.starts[id + 1]; i++) hash = nextHash(hash, this.blob[i]);
      let slot = hash & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id + 1;
    }
  }
}

/** FNV-1a, 32 bits. */
export const FIRST_HASH = 0x811c9dc5 | 0;
export const nextHash = (hash: number, lowerCaseByte: number): number => Math.imul(hash ^ lowerCaseByte, 0x01000193);

function grown<T extends Uint8Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
