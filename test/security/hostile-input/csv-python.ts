import { spawnSync } from 'node:child_process';

/** Python's own csv module, which shares no line with our reader and writer. */
const READ = `
import csv, io, json, sys
csv.field_size_limit(1 << 30)
text = sys.stdin.buffer.read().decode('utf-8')
json.dump(list(csv.reader(io.StringIO(text, newline=''), strict=True)), sys.stdout, ensure_ascii=True)
`;

/** The rows of a CSV file as Python reads them. */
export function csvRows(bytes: Buffer): string[][] {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', READ], { input: bytes, maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`python3 cannot read the CSV: ${stderr.toString().trim().split('\n').at(-1)}`);
  return JSON.parse(stdout.toString()) as string[][];
}
