/** What a key may do. `charts:rows` is apart because rows name contributors. */
export const SCOPES = ['enrich:read', 'enrich:batch', 'charts:read', 'charts:rows', 'ops'] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
