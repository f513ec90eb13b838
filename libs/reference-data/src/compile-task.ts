import { type DomainError } from '@donorlens/primitives';
import { type CompileOptions } from './compile-release';
import { type SourceFile, type SourceFiles } from './source-files';

/** What the thread is given: files as plain bytes, and the options without their function. */
export interface CompileTask extends Omit<CompileOptions, 'onProgress'> {
  readonly files: SourceFiles;
}

export type CompileAnswer =
  | { readonly step: string }
  | { readonly binary: Uint8Array<ArrayBuffer> }
  | { readonly refused: { readonly code: string; readonly message: string; readonly values: DomainError['values'] } };

/** Buffers arrive in another thread as plain byte arrays; this makes them buffers again, without copying. */
export const withBuffers = (files: SourceFiles): SourceFiles => {
  const buffer = (file: SourceFile): SourceFile => ({
    ...file,
    bytes: Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength),
  });
  return {
    birthNames: buffer(files.birthNames),
    lifeTables: files.lifeTables.map(buffer),
    surnames2000: buffer(files.surnames2000),
    surnames2010: buffer(files.surnames2010),
    income: buffer(files.income),
    counties: buffer(files.counties),
  };
};
