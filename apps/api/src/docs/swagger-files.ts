import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** One file of the test page: its name changes with its content, so that browsers may keep it for good. */
export interface DocsFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
}

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

/** The parts of the page, and where each is found: Swagger UI in its package, the rest beside this file. */
const SOURCES = {
  'swagger-ui.css': () => require.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'docs.css': () => join(__dirname, 'docs.css'),
  'start.js': () => join(__dirname, 'start.js'),
} as const;

export type DocsPart = keyof typeof SOURCES;

function fileOf(part: DocsPart): DocsFile {
  const bytes = readFileSync(SOURCES[part]());
  const [, stem, extension] = /^(.+)\.(js|css)$/.exec(part) as unknown as [string, string, keyof typeof TYPES];
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
  return { name: `${stem}.${hash}.${extension}`, type: TYPES[extension], bytes, gzip: gzipSync(bytes, { level: 9 }) };
}

const parts = new Map<DocsPart, DocsFile>();

/** Read and compressed when somebody first opens the page: a process that nobody asks for it holds none of its two megabytes. */
export function docsFile(part: DocsPart): DocsFile {
  const file = parts.get(part) ?? fileOf(part);
  parts.set(part, file);
  return file;
}

export const docsFileNamed = (name: string): DocsFile | undefined =>
  (Object.keys(SOURCES) as DocsPart[]).map(docsFile).find((file) => file.name === name);
