/** How the reader came: links go on the same way. */
export interface Visit {
  /** `https://host:port` */
  readonly origin: string;
  /** The key, where it is in the URL already. */
  readonly token: string | undefined;
}
