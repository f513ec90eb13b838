/** Bounded by bytes, not by entries: the least recently asked leaves first. */
export class BodyCache<T extends { readonly bytes: number }> {
  private readonly entries = new Map<string, T>();
  private held = 0;
  private newest: string | undefined;

  /** @param mostBytes of all bodies; a body of more than a quarter of it is not kept */
  constructor(private readonly mostBytes: number) {}

  get bytes(): number {
    return this.held;
  }

  get(key: string): T | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (key !== this.newest) {
      this.newest = key;
      this.entries.delete(key); // the map's order is that of last use
      this.entries.set(key, entry);
    }
    return entry;
  }

  set(key: string, entry: T): void {
    this.delete(key);
    this.newest = key;
    if (entry.bytes > this.mostBytes / 4) return;
    this.entries.set(key, entry);
    this.held += entry.bytes;
    for (const oldest of this.entries.keys()) {
      if (this.held <= this.mostBytes) break;
      this.delete(oldest);
    }
  }

  /** Leaves out what no one can ask for any more. */
  keep(wanted: (key: string) => boolean): void {
    for (const key of [...this.entries.keys()]) if (!wanted(key)) this.delete(key);
  }

  private delete(key: string): void {
    this.held -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}
