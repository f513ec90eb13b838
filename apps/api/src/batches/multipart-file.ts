import { type Readable } from 'node:stream';
import busboy from 'busboy';
import { type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';

export interface FormFile {
  readonly stream: Readable;
  readonly filename: string;
  /** The fields that stood before the file. */
  readonly fields: Readonly<Record<string, string>>;
}

const LIMITS = { files: 1, fields: 50, fieldSize: 1000, fieldNameSize: 100, parts: 60, headerPairs: 100 };

const broken = (detail: string): Problem => new Problem('malformed-body', detail);

/** The one file of a form, streamed: fields that steer the batch must stand before it. @throws Problem 400 */
export function firstFile(request: FastifyRequest): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const body = request.body as Readable | undefined;
    if (!body) return reject(broken('The form is empty.'));
    const parser = parserOf(request);
    const fields: Record<string, string> = {};
    let file: Readable | undefined;
    const fail = (detail: string): void => {
      const problem = broken(detail);
      body.unpipe(parser).resume();
      if (file) file.destroy(problem);
      else reject(problem);
    };
    parser
      .on('field', (name, value) => {
        if (file) fail('Fields must stand before the file, or in the URL.');
        else fields[name] = value;
      })
      .on('file', (_name, stream, { filename }) => {
        file = stream;
        stream.on('close', () => body.unpipe(parser).resume()); // read to its end or given up: the rest of the form is not ours
        resolve({ stream, filename: filename ?? '', fields });
      })
      .on('filesLimit', () => fail('One file per batch.'))
      .on('error', () => fail('The form is not correctly encoded.'))
      .on('close', () => {
        if (!file) reject(broken('The form holds no file.'));
      });
    body.on('aborted', () => fail('The form ended before its end.'));
    body.pipe(parser);
  });
}

function parserOf({ headers }: FastifyRequest): busboy.Busboy {
  try {
    return busboy({ headers, limits: LIMITS });
  } catch {
    throw broken('The form names no boundary.');
  }
}
