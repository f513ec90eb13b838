import { type FastifyRequest } from 'fastify';
import { type TableFile } from './table-files';
import { tableQuery, type TableQuery } from './table-query';

/** A file and what is asked of it. The same object for the same question, as long as it is remembered. */
export class Question {
  /** The same for every way to ask the same. */
  readonly text: string;
  private version: string | undefined;
  private key = '';

  constructor(
    readonly file: TableFile,
    readonly query: TableQuery,
  ) {
    this.text = `${file.path}?${query.canonical}`;
  }

  /** Under which its answer is kept; versions move seldom, so the text is made once for each. */
  keyIn(version: string): string {
    if (this.version !== version) {
      this.version = version;
      this.key = versionKey(version, this.text);
    }
    return this.key;
  }
}

export const versionKey = (version: string, text: string): string => `${version} ${text}`;

/** Requests whose reading is remembered. */
const MOST = 1_000;
const TOKEN = /([?&])token=[^&]*/g;
/** What may hide a key, or spells a value in a way of its own, is read every time. */
const UNCLEAR = /%|\+|key|token/i;

/** Reads questions; a URL that was read before, key apart, is not read again. */
export class Questions {
  private readonly read = new Map<string, Question>();

  /** @throws Problem 400 */
  of(file: TableFile, request: FastifyRequest): Question {
    const asked = request.url.replace(TOKEN, '$1');
    const known = UNCLEAR.test(asked)
      ? undefined
      : `${request.headers.accept ?? ''} ${request.headers['sec-fetch-mode'] ?? ''} ${asked}`;
    const before = known === undefined ? undefined : this.read.get(known);
    if (before !== undefined) return before;
    const question = new Question(file, tableQuery(request, file));
    if (known !== undefined) {
      if (this.read.size >= MOST) this.read.clear();
      this.read.set(known, question);
    }
    return question;
  }
}
