import { type Visitor } from '../access/visitor';

/** How the reader came: links go on the same way. */
export interface Visit {
  /** `https://host:port` */
  readonly origin: string;
  /** The key, where it is in the URL already. */
  readonly token: string | undefined;
  /** Who has signed in; null: nobody. */
  readonly visitor: Visitor | null;
}

/** Values of a question by the name of their parameter. */
export type Lists = Readonly<Record<string, readonly string[]>>;

/** Path and query of a question to the data and charts group, with the reader's key where it came in the URL. */
export function chartsUrl(path: string, lists: Lists, { token }: Pick<Visit, 'token'>, format?: string): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(lists)) for (const value of values) query.append(name, value);
  if (format !== undefined) query.set('format', format);
  if (token !== undefined) query.set('token', token);
  const text = query.toString();
  return `/data-charts/v1/${path}${text === '' ? '' : `?${text}`}`;
}
