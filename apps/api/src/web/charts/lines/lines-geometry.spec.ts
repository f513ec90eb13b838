import fc from 'fast-check';
import { fitting, labelsOf } from '../chart-labels';
import { simplifyLine, electionDay, spreadLabels } from './lines-geometry';

const heights = fc.array(fc.double({ min: 0, max: 400, noNaN: true }), { minLength: 1, maxLength: 100 });

describe('days that are drawn', () => {
  it('are the first and last day, and the corners of the line', () => {
    expect(simplifyLine([0, 10, 20, 30])).toEqual([0, 3]);
    expect(simplifyLine([0, 0, 0, 9, 9, 9])).toEqual([0, 2, 3, 5]);
    expect(simplifyLine([5])).toEqual([0]);
  });

  it('leave no day more than 0.4 units from the simplified line', () => {
    fc.assert(
      fc.property(heights, (line) => {
        const kept = simplifyLine(line);
        expect([kept[0], kept.at(-1)]).toEqual([0, line.length - 1]);
        for (let at = 1; at < kept.length; at++) {
          const [from, to] = [kept[at - 1], kept[at]];
          for (let day = from; day < to; day++) {
            const drawn = line[from] + ((line[to] - line[from]) * (day - from)) / (to - from);
            expect(Math.abs(drawn - line[day])).toBeLessThanOrEqual(0.4 + 1e-9);
          }
        }
      }),
    );
  });
});

describe('labels', () => {
  it('keep their positions if they do not touch', () => {
    expect(spreadLabels([10, 40, 90], 16, 0, 100)).toEqual([10, 40, 90]);
  });

  it('move apart around their middle, inside the picture', () => {
    expect(spreadLabels([50, 50], 16, 0, 100)).toEqual([42, 58]);
    expect(spreadLabels([0, 2, 99], 10, 0, 100)).toEqual([0, 10, 99]);
    expect(spreadLabels([98, 99, 100], 10, 0, 100)).toEqual([80, 90, 100]);
  });

  it('never overlap, keep their order and stay inside, for any wanted positions', () => {
    const wanted = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(wanted, (places) => {
        const at = spreadLabels(
          [...places].sort((a, b) => a - b),
          16,
          0,
          200,
        );
        expect(at[0]).toBeGreaterThanOrEqual(-1e-9);
        expect(at[at.length - 1]).toBeLessThanOrEqual(200 + 1e-9);
        for (let i = 1; i < at.length; i++) expect(at[i] - at[i - 1]).toBeGreaterThanOrEqual(16 - 1e-9);
      }),
    );
  });

  it('are surnames, or full names if surnames are equal, with the cycle if there are several', () => {
    const names = new Map([
      ['P1', 'DOE, PAT'],
      ['P2', 'DOE, ANA'],
      ['P3', 'ROE, RAY'],
    ]);
    const part = (id: string, cycle = 2016) => ({ id, cycle });
    const told = (...parts: ReturnType<typeof part>[]) =>
      labelsOf(parts, names).map(({ name, cycle }) => (cycle === null ? name : `${name} ${cycle}`));
    expect(told(part('P1'), part('P2'), part('P3'), part('P4'))).toEqual(['Pat Doe', 'Ana Doe', 'Roe', 'P4']);
    expect(told(part('P3'), part('P3', 2020))).toEqual(['Roe 2016', 'Roe 2020']);
    expect([fitting('MADEUP', 6.2), fitting('MADE UP, ANA', 6)]).toEqual(['MADEUP', 'MADE…']);
    expect(fitting('ILL, JILL I.', 9)).toBe('ILL, JILL I.'); // narrow letters need less space
    expect(fitting('MMMMMM', 6)).toBe('MMMM…');
  });
});

it('the election day is the Tuesday after the first Monday of November', () => {
  const dayOf = (month: number, date: number, year: number) =>
    (Date.UTC(year, month - 1, date) - Date.UTC(year - 1, 0, 1)) / 86_400_000;
  expect([2016, 2020, 2024].map(electionDay)).toEqual([dayOf(11, 8, 2016), dayOf(11, 3, 2020), dayOf(11, 5, 2024)]);
  expect(electionDay(2018)).toBeNull();
});
