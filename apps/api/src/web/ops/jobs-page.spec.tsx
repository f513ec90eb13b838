import { type JobList, type QueuedJob } from '@donorlens/queues';
import { MAX_LISTED_JOBS, renderJobsPage } from './jobs-page';

const NOW = new Date('2026-11-03T12:00:00Z');
const NO_JOBS: JobList = { isPaused: false, active: 0, waiting: 0, jobs: [] };
const call = (callId: number, takenAt: Date | null = null): QueuedJob => ({
  id: `geocode-call.${callId}`,
  data: { callId: String(callId) },
  addedAt: new Date('2026-11-03T11:59:00Z'),
  takenAt,
});

const pageOf = (geocode: JobList | null): string =>
  renderJobsPage({
    queues: { enrich: NO_JOBS, geocode },
    server: 'redis.example.org:6379 (REDIS_URL)',
    now: NOW,
    user: null,
  });

describe('the list of jobs', () => {
  it('shows since when a job is active or waits', () => {
    const jobs = [call(1, new Date('2026-11-03T11:59:50Z')), call(2)];
    const page = pageOf({ isPaused: false, active: 1, waiting: 1, jobs });
    expect(page).toContain('<p>1 active job, 1 waiting.</p>');
    const cells = page.split('<tr').map((row) => row.replace(/<[^>]*>/g, ' ').replace(/ +/g, ' '));
    expect(cells).toContainEqual(expect.stringMatching(/call 1 active 1 min ago 10 s ago/));
    expect(cells).toContainEqual(expect.stringMatching(/call 2 waiting 1 min ago – /));
  });

  it('says how many jobs there are if not all are listed, and that a queue is paused', () => {
    const list = { isPaused: true, active: 0, waiting: MAX_LISTED_JOBS + 1, jobs: [call(1)] };
    expect(pageOf(list)).toContain(
      '0 active jobs, 21 waiting. The 20 oldest of each state are listed. Paused: workers take no new jobs.',
    );
  });

  it('says once where the queue server was expected if it does not answer', () => {
    const message = 'The queue server does not answer at redis.example.org:6379 (REDIS_URL): start it';
    expect(pageOf(null).split(message)).toHaveLength(2);
    expect(pageOf(NO_JOBS)).not.toContain(message);
  });
});
