import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';
import { batchForm, sendable, sendableRow } from './batch-request';

const row = (id: number, street: string, city: string, state: string, zip: string) => ({
  id,
  street,
  city,
  state,
  zip,
});

it('sends an address as it is written, folding accents to plain letters', () => {
  expect(sendable('12 Mill Ln, Apt #4')).toBe('12 Mill Ln, Apt #4');
  expect(sendable('7 Calle Peñón')).toBe('7 Calle Penon');
  expect(sendable('3 Straße Ægir')).toBe('3 Strasse aegir');
});

it('separates numbers that only a typographic character separates', () => {
  expect(sendable('12½ Mill Ln')).toBe('12 1/2 Mill Ln');
  expect(sendable('12–14 Mill Ln')).toBe('12-14 Mill Ln');
  expect(sendable('O’Dell St')).toBe("O'Dell St");
});

it('removes line breaks, control characters, double quotes and other scripts', () => {
  expect(sendable('12 "Old"\tMill\r\nLn\u0000')).toBe('12  Old  Mill  Ln');
  expect(sendable('улица 5')).toBe('5');
});

it('truncates texts that are too long for an address', () => {
  expect(sendable('x'.repeat(5000))).toHaveLength(200);
});

it('gives one line of printable ASCII for any text, and is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sent = sendable(text);
      expect(sent).toMatch(/^[ !#-~]*$/);
      expect(sendable(sent)).toBe(sent);
    }),
  );
});

it('quotes a part with a comma, so that every line has five fields', () => {
  const { body, contentType } = batchForm([sendableRow(row(7, '1 Elm St, Suite 2', 'Newtown', 'PA', ''))], {});
  expect(body.toString()).toContain('\r\n\r\n7,"1 Elm St, Suite 2",Newtown,PA,\n\r\n--');
  expect(contentType).toMatch(/^multipart\/form-data; boundary=[0-9a-f]{32}$/);
});

describeWith('official data')('compared with the recorded request', () => {
  it('sends the same bytes except for the boundary', () => {
    const recorded = readFileSync(
      join(OFFICIAL_DATA, 'census/geocoder/geographies-addressbatch.request.txt'),
      'latin1',
    );
    const file = /\r\n\r\n([\s\S]*?)\r\n--/.exec(recorded)?.[1] ?? '';
    const rows = file
      .trim()
      .split('\n')
      .map((line) => line.split(','))
      .map(([id, street, city, state, zip]) => row(Number(id), street, city, state, zip));
    const { body, contentType } = batchForm(rows, { benchmark: 'Public_AR_Current', vintage: 'Current_Current' });
    const ours = contentType.split('boundary=')[1];
    const theirs = recorded.slice(2, recorded.indexOf('\r\n'));
    expect(rows).toHaveLength(3);
    expect(body.toString('latin1').replaceAll(ours, theirs).trimEnd()).toBe(recorded.trimEnd());
  });
});
