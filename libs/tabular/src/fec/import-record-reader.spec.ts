import { CELL, type Cell, FIELD_SEPARATOR, ITCONT_COLUMNS, ImportRecordReader } from './import-record-reader';

const cellsOf = (values: Partial<Record<keyof typeof CELL, string>>, count: number): string[] =>
  Object.keys(CELL)
    .slice(0, count)
    .map((name) => values[name as keyof typeof CELL] ?? '');

const chunkOf = (...records: (readonly string[])[]): Buffer =>
  Buffer.from(records.map((cells) => `${cells.join(FIELD_SEPARATOR)}\n`).join(''));

const storedOf = (record: ImportRecordReader): string => record.bytes.toString('utf8', record.start, record.end);

const gift = cellsOf({ CMTE_ID: 'C99900001', NAME: 'DOE, JANE ', SUB_ID: '4012020200000000001' }, 21);

describe('import records', () => {
  it('have the columns of the bulk file first, in its order', () => {
    expect(Object.keys(CELL).slice(0, 21)).toEqual([...ITCONT_COLUMNS]);
    expect(Object.values(CELL)).toEqual(Object.keys(CELL).map((_, index) => index));
  });

  it('of the bulk files give 21 cells; blanks around a cell stay in what is stored', () => {
    const record = new ImportRecordReader(chunkOf(gift, [...gift.slice(0, 20), '7']), 'contributions');
    expect(record.next()).toBe(true);
    expect([record.cells, record.text(CELL.CMTE_ID), record.text(CELL.NAME)]).toEqual([21, 'C99900001', 'DOE, JANE']);
    expect(storedOf(record)).toBe(gift.join(FIELD_SEPARATOR));
    expect([record.text(CELL.LINE), record.storedRowId, record.storedFileCycle]).toEqual(['', '', '']);
    expect(record.next()).toBe(true);
    expect(record.text(CELL.SUB_ID)).toBe('7');
    expect(record.next()).toBe(false);
  });

  it('of a filing give line, names and streets too; streets are not stored', () => {
    const cells = cellsOf({ LINE: 'SA17A', LAST: 'DOE', FIRST: 'JANE', STREET_1: '1 MAIN ST', STREET_2: 'APT 2' }, 26);
    const record = new ImportRecordReader(chunkOf(cells), 'filing');
    record.next();
    expect(record.cells).toBe(26);
    const asked: Cell[] = [CELL.LINE, CELL.LAST, CELL.FIRST, CELL.STREET_1, CELL.STREET_2];
    expect(asked.map((cell) => record.text(cell))).toEqual(['SA17A', 'DOE', 'JANE', '1 MAIN ST', 'APT 2']);
    expect(storedOf(record)).toBe(cells.slice(0, 24).join(FIELD_SEPARATOR));
  });

  it('that are enriched again have their stored row id', () => {
    const filed = cellsOf({ LINE: 'SA17A', LAST: 'DOE', FIRST: 'JANE' }, 24);
    const record = new ImportRecordReader(chunkOf(['-12', '', ...filed], ['34', '2020', ...gift]), 'reenrich');
    record.next();
    expect([record.storedRowId, record.storedFileCycle, record.cells]).toEqual(['-12', '', 24]);
    expect([record.text(CELL.LAST), storedOf(record)]).toEqual(['DOE', filed.join(FIELD_SEPARATOR)]);
    record.next();
    expect([record.storedRowId, record.storedFileCycle, record.cells]).toEqual(['34', '2020', 21]);
    expect([record.text(CELL.CMTE_ID), storedOf(record)]).toEqual(['C99900001', gift.join(FIELD_SEPARATOR)]);
  });

  it('are UTF-8, and report bytes that COPY must escape', () => {
    const record = new ImportRecordReader(
      chunkOf(cellsOf({ NAME: 'MUÑOZ, JOSÉ', MEMO_TEXT: 'a\\b' }, 21), gift),
      'contributions',
    );
    record.next();
    expect([record.text(CELL.NAME), record.text(CELL.MEMO_TEXT), record.hasEscaped]).toEqual([
      'MUÑOZ, JOSÉ',
      'a\\b',
      true,
    ]);
    record.next();
    expect(record.hasEscaped).toBe(false);
  });
});
