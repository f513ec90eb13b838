/** Yields the values of newline-delimited JSON as they arrive. */
export async function* valuesOf<T>(bytes: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  let rest = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line) as T;
    }
    if (rest !== '') yield JSON.parse(rest) as T;
  } finally {
    await reader.cancel(); // of a reader who has seen enough
  }
}
