import { randomUUID } from 'node:crypto';
import { BATCH_TYPES } from '@donorlens/primitives';
import { type FastifyRequest } from 'fastify';
import { checkLength, type Upload, formUpload } from '../batches/batch-upload';
import { firstFile } from '../batches/multipart-file';
import { isGzipped } from '../http/request-body';
import { type UploadChoices } from '../pages/upload-page';

type Fields = Readonly<Record<string, string>>;

/** What a person has filled in, as the form comes in: its fields first, then its file. */
export class UploadForm {
  private fields: Fields = {};
  filename = '';

  constructor(private readonly request: FastifyRequest) {}

  /** @throws Problem 400 */
  async read(): Promise<Upload> {
    checkLength(this.request);
    isGzipped(this.request);
    const file = await firstFile(this.request);
    this.fields = file.fields;
    this.filename = file.filename;
    return formUpload(file);
  }

  /** The same for each sending of one form. */
  get token(): string {
    const { token = '' } = this.fields;
    return /^[\w-]{8,64}$/.test(token) ? token : newToken();
  }

  /** As far as the form has been read. */
  get choices(): UploadChoices {
    const { type, format = '', min_age: minAge = '' } = this.fields;
    const mapping = Object.entries(this.fields)
      .filter(([name, column]) => name.startsWith('map.') && column !== '')
      .map(([name, column]) => [name.slice('map.'.length), column] as const);
    return {
      type: BATCH_TYPES.find((one) => one === type) ?? 'contributions',
      format,
      minAge,
      mapping: Object.fromEntries(mapping),
    };
  }
}

export const newToken = (): string => randomUUID();

/** To begin with. Donors are adults: that is said for people, and left to programs. */
export const NO_CHOICES: UploadChoices = { type: 'contributions', format: '', minAge: '18', mapping: {} };
