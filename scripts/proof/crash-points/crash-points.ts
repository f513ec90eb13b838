import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUEUES } from '../installation';
import { amount, oneOf } from '../options';
import { part, type Report } from '../report';
import { Book } from './book';
import { Rounds } from './rounds';
import { Stage } from './stage';

/** Every point between two writes, each the end of a process once, and everything is whole afterwards. */
export const crashPoints = part({
  what: 'a process ends at every point between two writes',
  options: { minutes: amount(40), queue: oneOf(QUEUES, 'redis') },
  async run({ minutes, queue }) {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-points-'));
    const started = performance.now();
    const book = new Book(folder);
    const begin = (): Promise<Stage> => Stage.set(queue, folder);
    const rounds = new Rounds(begin, book, (text) => void process.stderr.write(`${text}\n`));
    try {
      await rounds.undisturbed();
      await rounds.untilAllStruck(started + minutes * 60_000);
      return reportOf(rounds, (performance.now() - started) / 1000);
    } finally {
      await rounds.clear();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function reportOf(rounds: Rounds, seconds: number): Report {
  const { points, struck, wrong } = rounds;
  const roles = ['api', 'worker', 'aggregator'] as const;
  const count = (of: typeof points, server: string): number => of.filter((point) => point.server === server).length;
  const missed = points.filter(({ id }) => !struck.has(id));
  const lines = roles.map((role) => {
    const all = points.filter((point) => point.role === role);
    const visited = all.filter(({ id }) => struck.has(id));
    return [role, count(all, 'postgres'), count(all, 'redis'), visited.length, all.length, rounds.deaths(role)];
  });
  return {
    document: 'reliability',
    columns: [
      'role',
      'points in Postgres',
      'points in Redis',
      'visited',
      'all',
      'ends of a process, those at a round’s begin too',
    ],
    rows: [
      ...lines,
      [
        'all',
        count(points, 'postgres'),
        count(points, 'redis'),
        points.length - missed.length,
        points.length,
        rounds.deaths(),
      ],
    ],
    notes: [
      `${rounds.rounds} rounds in ${Math.round(seconds)} s; found wrong: ${wrong.length === 0 ? 'nothing' : wrong.join('; ')}.`,
      ...(missed.length === 0
        ? []
        : [
            [
              `Not visited, as ${rounds.end}:`,
              '',
              ...missed.map(
                ({ id, processes }) => `- ${id}: ${processes === 1 ? 'one process' : `${processes} processes`} came by`,
              ),
            ].join('\n'),
          ]),
    ],
    passed: wrong.length === 0 && missed.length === 0,
  };
}
