/**
 * Waits for work that must not keep anybody waiting.
 * @param ms its time; work that takes longer is left alone, and must end by itself
 * @returns  its result, or null where its time was over
 * @throws   what it throws within its time; what it throws later is nobody's concern any more
 */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
