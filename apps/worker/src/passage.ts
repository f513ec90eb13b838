/**
 * Lets work through together, or one alone, in order of arrival. Suspect rows go alone: were another chunk at work
 * when one of them ends the process, the wrong row would be blamed.
 */
export class Passage {
  private together = 0;
  private single = false;
  private readonly line: { single: boolean; go: () => void }[] = [];

  withOthers<T>(work: () => Promise<T>): Promise<T> {
    return this.pass(false, work);
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.pass(true, work);
  }

  private async pass<T>(single: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((go) => {
      this.line.push({ single, go });
      this.admit();
    });
    try {
      return await work();
    } finally {
      if (single) this.single = false;
      else this.together--;
      this.admit();
    }
  }

  private admit(): void {
    for (let first = this.line[0]; first && this.isFreeFor(first.single); first = this.line[0]) {
      this.line.shift();
      if (first.single) this.single = true;
      else this.together++;
      first.go();
    }
  }

  private isFreeFor(single: boolean): boolean {
    return !this.single && (!single || this.together === 0);
  }
}
