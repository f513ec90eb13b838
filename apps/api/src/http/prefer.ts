export interface Preferences {
  readonly respondAsync: boolean;
  /** Seconds the client would rather wait than be answered with 202. */
  readonly waitSeconds: number | undefined;
}

/** Reads `Prefer: respond-async, wait=10` (RFC 7240). Unknown preferences are ignored, as the RFC asks. */
export function preferencesOf(header: string | string[] | undefined): Preferences {
  const wishes = [header ?? []]
    .flat()
    .join(',')
    .split(/[,;]/)
    .map((wish) => wish.trim().toLowerCase());
  const wait = wishes.find((wish) => /^wait\s*=\s*"?\d+"?$/.test(wish));
  return {
    respondAsync: wishes.includes('respond-async'),
    waitSeconds: wait === undefined ? undefined : Number(wait.replace(/\D/g, '')),
  };
}
