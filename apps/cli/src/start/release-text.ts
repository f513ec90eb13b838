/** What the banner says about the data release. @param ready body of GET /health/ready */
export function releaseText(ready: unknown, dataSource: string | undefined): string {
  const id = textIn(ready, 'release') ?? textIn(ready, 'dataRelease') ?? textIn(ready, 'data_release') ?? 'not known';
  if (!id.startsWith('sample')) return dataSource ? `${id} (from DATA_SOURCE)` : id;
  return `${id} (the small sample that ships with the project; the official files are fetched in the background)`;
}

/** First text under this name at any depth of a JSON value. */
function textIn(value: unknown, name: string): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found: string | null = key === name && typeof inner === 'string' ? inner : textIn(inner, name);
    if (found !== null) return found;
    if (key === name && typeof inner === 'object') {
      const id = textIn(inner, 'id');
      if (id !== null) return id;
    }
  }
  return null;
}
