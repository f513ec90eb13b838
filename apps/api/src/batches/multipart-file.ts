import { PassThrough, type Readable } from 'node:stream';
import { INTAKE_LIMITS, IntakeError } from '@donorlens/batches';
import busboy from 'busboy';
import { type FastifyRequest } from 'fastify';
import { Problem } from '../http/problem';

export interface FormFile {
  /** Ends where the whole form ends, so that what is wrong behind the file is wrong with the batch. */
  readonly stream: Readable;
  readonly filename: string;
  /** The fields that stood before the file. */
  readonly fields: Readonly<Record<string, string>>;
}

const MOST_VALUE = 1000;
/** busboy calls a value cut as soon as it fills the limit, hence one more. */
const LIMITS = { files: 1, fields: 50, fieldSize: MOST_VALUE + 1, parts: 60, headerPairs: 100 };

const broken = (detail: string): Problem => new Problem('malformed-body', detail);

/** The one file of a form, streamed: fields that steer the batch must stand before it. @throws Problem 400, 408 */
export async function firstFile(request: FastifyRequest): Promise<FormFile> {
  const body = request.body as Readable | undefined;
  if (!body) throw broken('The form is empty.');
  const form = new FormReader(body, parserOf(request));
  const late = setTimeout(() => form.late(), INTAKE_LIMITS.idleMs); // behind the file's beginning, the intake looks at its watch
  return form.file.finally(() => clearTimeout(late));
}

class FormReader {
  readonly file: Promise<FormFile>;
  private readonly content = new PassThrough();
  private readonly fields = new Map<string, string>();
  private begun = false;
  private ended = false;
  private settle: { resolve: (file: FormFile) => void; reject: (error: Error) => void } | undefined;

  constructor(
    private readonly body: Readable,
    private readonly parser: busboy.Busboy,
  ) {
    this.file = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.content.on('error', () => undefined); // whoever reads it is told by the reading itself
    this.content.on('close', () => this.leave()); // read to its end, or given up
    parser
      .on('field', (name, value) => this.field(name, value))
      .on('file', (_name, stream, { filename }) => this.begin(stream, filename))
      .on('filesLimit', () => this.fail('One file per batch.'))
      .on('fieldsLimit', () => this.fail(`A form has at most ${LIMITS.fields} fields.`))
      .on('partsLimit', () => this.fail(`A form has at most ${LIMITS.parts} parts.`))
      .on('error', () => this.fail('The form is not correctly encoded.'))
      .on('close', () => this.end());
    body.on('aborted', () => this.fail('The form ended before its end.')).on('error', () => undefined);
    body.pipe(parser);
  }

  late(): void {
    this.stop(new Problem('request-timeout', 'The form did not come to its file in time.'));
  }

  private field(name: string, value: string): void {
    if (this.begun) this.fail('Fields must stand before the file, or in the URL.');
    else if (value.length > MOST_VALUE) this.fail(`A field of the form has at most ${MOST_VALUE} characters.`);
    else if (this.fields.has(name)) this.fail('A field of the form may be given once.');
    else this.fields.set(name, value);
  }

  private begin(stream: Readable, filename: string | undefined): void {
    stream.on('error', () => this.fail('The form is not correctly encoded.'));
    if (this.ended) {
      stream.resume();
      return;
    }
    this.begun = true;
    stream.pipe(this.content, { end: false });
    this.settle?.resolve({
      stream: this.content,
      filename: filename ?? '',
      fields: Object.fromEntries(this.fields),
    });
  }

  private end(): void {
    if (this.ended) return;
    if (!this.begun) this.fail('The form holds no file.');
    else this.content.end();
  }

  private fail(detail: string): void {
    this.stop(this.begun ? new IntakeError('bad_form', detail) : broken(detail));
  }

  private stop(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.settle?.reject(error); // without effect where the file has begun
    this.content.destroy(error);
    this.leave();
  }

  /** What is left of the form flows by unread, so that the client can finish sending and read our answer. */
  private leave(): void {
    this.ended = true;
    this.body.unpipe(this.parser).resume();
  }
}

function parserOf({ headers }: FastifyRequest): busboy.Busboy {
  try {
    return busboy({ headers, limits: LIMITS, defParamCharset: 'utf8' }); // names of files, as browsers send them
  } catch {
    throw broken('The form names no boundary.');
  }
}
