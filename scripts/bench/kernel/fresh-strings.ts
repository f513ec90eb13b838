/**
 * The same texts as strings of their own each time, as they come out of requests and files: none has its hash yet, or
 * is known by its address to a Map that has it as a key.
 */
export class FreshStrings {
  private readonly bytes: Buffer;
  private readonly ends: Uint32Array;

  /** @param texts latin1 */
  constructor(texts: readonly string[]) {
    this.bytes = Buffer.from(texts.join(''), 'latin1');
    this.ends = new Uint32Array(texts.length);
    let end = 0;
    texts.forEach((text, i) => (this.ends[i] = end += text.length));
  }

  take(): string[] {
    let start = 0;
    return Array.from(this.ends, (end) => {
      const text = this.bytes.toString('latin1', start, end);
      start = end;
      return text;
    });
  }
}
