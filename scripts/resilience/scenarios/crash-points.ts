import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amount, oneOf, whole } from '../../command/options';
import { command, type Report } from '../../command/report';
import { QUEUES } from '../../../test/support/installation';
import { CrashRounds } from './crash-rounds';
import { ROLES } from './crash-stage';

export const crashPoints = command({
  what: 'A process that crashes between any two writes leaves nothing half done',
  options: { minutes: amount(40), rounds: whole(undefined, 1), queue: oneOf(QUEUES, 'redis') },
  async run({ minutes, rounds: maxRounds = Infinity, queue }) {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-crash-points-'));
    const started = performance.now();
    const rounds = new CrashRounds(queue, folder);
    try {
      await rounds.undisturbed();
      await rounds.untilAllCrashed({ end: started + minutes * 60_000, maxRounds });
      return { page: `crash-points-${queue}`, ...reportOf(rounds, (performance.now() - started) / 1000) };
    } finally {
      await rounds.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function reportOf(rounds: CrashRounds, seconds: number): Report {
  const { problems, records } = rounds;
  const [points, crashed] = [records.seen(), records.crashed()];
  const row = (name: string, of: typeof points, crashes: number): (string | number)[] => [
    name,
    ...['postgres', 'redis'].map((server) => of.filter((point) => point.server === server).length),
    of.filter(({ id }) => crashed.has(id)).length,
    of.length,
    crashes,
  ];
  const missed = points.filter(({ id }) => !crashed.has(id));
  const processes = (count: number): string => (count === 1 ? 'one process' : `${count} processes`);
  return {
    columns: ['role', 'points in Postgres', 'points in Redis', 'crashed at', 'all', 'ends of processes'],
    rows: [
      ...ROLES.map((role) =>
        row(
          role,
          points.filter((point) => point.role === role),
          rounds.deaths(role),
        ),
      ),
      row('all', points, rounds.deaths()),
    ],
    notes: [
      `${rounds.count} rounds in ${Math.round(seconds)} s; problems: ${problems.join('; ') || 'none'}. ` +
        'Ends include those at the beginning of a round.',
      ...(missed.length === 0 ? [] : [`Points without a crash, because ${rounds.end}:`]),
      ...(missed.length === 0
        ? []
        : [missed.map((one) => `- ${one.id}: passed by ${processes(one.processes)}`).join('\n')]),
    ],
    passed: problems.length === 0 && missed.length === 0,
  };
}
