import Module from 'node:module';
import { join } from 'node:path';

/**
 * Jest maps @donorlens/* for tests but not for its global setup, which runs outside of them. This module maps the names
 * there and must be the first import.
 */
type Resolve = (this: void, request: string, ...rest: unknown[]) => string;
const loader = Module as unknown as { _resolveFilename: Resolve };
const original = loader._resolveFilename;
const libs = join(__dirname, '..', '..', '..', 'libs');

loader._resolveFilename = (request, ...rest) =>
  original(
    request.replace(/^@donorlens\/([^/]+)$/, (_, lib: string) => join(libs, lib, 'src', 'index.ts')),
    ...rest,
  );
