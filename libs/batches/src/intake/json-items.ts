/** Last column of JSON items' results as CSV, where some may have keys without a column of their own: these, as JSON. */
export const OTHER_KEYS = 'OTHER';

/** The caller's item; empty where its text is no JSON object. */
export function jsonSource(source: string | null): Readonly<Record<string, unknown>> {
  try {
    const item: unknown = JSON.parse(source ?? '');
    return typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
