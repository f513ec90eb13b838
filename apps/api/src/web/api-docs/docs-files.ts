import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the API reference; a hash of the content in the name allows browsers to cache it forever. */
interface DocsFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
}

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

const SOURCES = {
  'swagger-ui.css': () => require.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'docs.css': () => join(__dirname, 'docs.css'),
} as const;

type DocsPart = keyof typeof SOURCES;

function fileOf(part: DocsPart): DocsFile {
  const bytes = readFileSync(SOURCES[part]());
  const [, stem, extension] = /^(.+)\.(js|css)$/.exec(part) as unknown as [string, string, keyof typeof TYPES];
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
  return { name: `${stem}.${hash}.${extension}`, type: TYPES[extension], bytes, gzip: gzipSync(bytes, { level: 9 }) };
}

const parts = new Map<DocsPart, DocsFile>();

/** Read and compressed on first use, because the files have two megabytes. */
function docsFile(part: DocsPart): DocsFile {
  const file = parts.get(part) ?? fileOf(part);
  parts.set(part, file);
  return file;
}

/** Path of a file, which the browser may keep forever. */
export const docsPath = (part: DocsPart): string => `/docs/${docsFile(part).name}`;

export const docsFileNamed = (name: string): DocsFile | undefined =>
  (Object.keys(SOURCES) as DocsPart[]).map(docsFile).find((file) => file.name === name);
