/** In a path these would be steps, encoded or not. */
export const isStep = (name: string): boolean => name === '.' || name === '..';

/** The address of an answer, from the fields of a form; what is undefined is left out of the query. */
export function askedPath(parts: readonly string[], query: Readonly<Record<string, string | undefined>>): string {
  const path = `/enrich/v1/${parts.map(encodeURIComponent).join('/')}`;
  const kept = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) kept.set(name, value);
  return kept.size > 0 ? `${path}?${kept}` : path;
}
