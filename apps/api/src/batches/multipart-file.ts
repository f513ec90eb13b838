import { PassThrough, type Readable } from 'node:stream';
import { INTAKE_LIMITS, IntakeError } from '@donorlens/batches';
import busboy from 'busboy';
import { type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';

export interface FormFile {
  /** Ends when the whole form has been read, so that an error after the file fails the batch. */
  readonly stream: Readable;
  readonly filename: string;
  /** Values of the form fields before the file. */
  readonly fields: Readonly<Record<string, string>>;
}

const MAX_VALUE = 1000;
/** busboy reports a value that fills the limit as truncated, so the limit is one byte higher. */
const LIMITS = { files: 1, fields: 50, fieldSize: 4 * MAX_VALUE + 1, parts: 60, headerPairs: 100 };

const broken = (detail: string): Problem => new Problem('malformed-body', detail);

/**
 * Streams the only file of a form. All fields of the form must come before it.
 * @throws Problem 400, 408
 */
export async function firstFile(request: FastifyRequest): Promise<FormFile> {
  const body = request.body as Readable | undefined;
  if (!body) throw broken('The form is empty.');
  const form = new FormReader(body, parserOf(request));
  const timer = setTimeout(() => form.timeOut(), INTAKE_LIMITS.idleMs); // later, the intake has a timeout
  return form.file.finally(() => clearTimeout(timer));
}

class FormReader {
  readonly file: Promise<FormFile>;
  private readonly content = new PassThrough();
  private readonly fields = new Map<string, string>();
  private hasFile = false;
  private ended = false;
  private pending: { resolve: (file: FormFile) => void; reject: (error: Error) => void } | undefined;

  constructor(
    private readonly body: Readable,
    private readonly parser: busboy.Busboy,
  ) {
    this.file = new Promise((resolve, reject) => (this.pending = { resolve, reject }));
    this.content.on('error', () => undefined); // the reader of the stream handles the error
    this.content.on('close', () => this.drain()); // after the end, or if the reader stops early
    parser
      .on('field', (name, value, { valueTruncated }) => this.field(name, value, valueTruncated))
      .on('file', (_name, stream, { filename }) => this.startFile(stream, filename))
      .on('filesLimit', () => this.fail('One file per batch.'))
      .on('fieldsLimit', () => this.fail(`A form has at most ${LIMITS.fields} fields.`))
      .on('partsLimit', () => this.fail(`A form has at most ${LIMITS.parts} parts.`))
      .on('error', () => this.fail('The form is not correctly encoded.'))
      .on('close', () => this.end());
    body.on('aborted', () => this.fail('The form is incomplete.')).on('error', () => undefined);
    body.pipe(parser);
  }

  timeOut(): void {
    this.stop(new Problem('request-timeout', 'The file of the form did not arrive in time.'));
  }

  private field(name: string, value: string, isTruncated: boolean): void {
    if (this.hasFile) this.fail('Fields must come before the file, or in the URL.');
    else if (isTruncated || value.length > MAX_VALUE)
      this.fail(`A field of the form has at most ${MAX_VALUE} characters.`);
    else if (this.fields.has(name)) this.fail('A field of the form may be given once.');
    else this.fields.set(name, value);
  }

  private startFile(stream: Readable, filename: string | undefined): void {
    stream.on('error', () => this.fail('The form is not correctly encoded.'));
    if (this.ended) {
      stream.resume();
      return;
    }
    this.hasFile = true;
    stream.pipe(this.content, { end: false });
    this.pending?.resolve({
      stream: this.content,
      filename: filename ?? '',
      fields: Object.fromEntries(this.fields),
    });
  }

  private end(): void {
    if (this.ended) return;
    if (!this.hasFile) this.fail('The form holds no file.');
    else this.content.end();
  }

  private fail(detail: string): void {
    this.stop(this.hasFile ? new IntakeError('bad_form', detail) : broken(detail));
  }

  private stop(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.pending?.reject(error); // no effect once the file has started
    this.content.destroy(error);
    this.drain();
  }

  /** Discards the rest of the form, so that the client can finish sending and read the response. */
  private drain(): void {
    this.ended = true;
    this.body.unpipe(this.parser).resume();
  }
}

function parserOf({ headers }: FastifyRequest): busboy.Busboy {
  try {
    return busboy({ headers, limits: LIMITS, defParamCharset: 'utf8' }); // browsers send file names as UTF-8
  } catch {
    throw broken('The form names no boundary.');
  }
}
