import { type VNode } from 'preact';
import { QUEUE_LABELS, formatUtcTime } from '@donorlens/operations';
import { type QueuedJob, type QueueName } from '@donorlens/queues';
import { type SessionUser } from '../../access/sessions';
import { count } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { Age } from './ops-components';

/** Of each state and queue. */
export const MAX_SHOWN_JOBS = 100;

/** Reload interval without scripts; the script updates the page every 5 s. */
const RELOAD_SECONDS = 15;

interface JobsPageProps {
  /** Null: the queue server does not answer. */
  readonly queues: Readonly<Record<QueueName, readonly QueuedJob[] | null>>;
  /** Address of the queue server. */
  readonly server: string;
  readonly now: Date;
  readonly user: SessionUser | null;
}

/** Active and waiting jobs of each queue. */
export const renderJobsPage = ({ queues, server, now, user }: JobsPageProps): string =>
  renderPage(
    <Layout title="Jobs" user={user} section="/ops" scripts={['ops']} refreshSeconds={RELOAD_SECONDS}>
      <p class="eyebrow">
        <a href="/ops">Operations</a>
      </p>
      <h1>Jobs</h1>
      <p class="lede">
        A job names work that the database has: a chunk of a batch, or a call to the geocoder. It is removed when it
        ends. Rates, failures and actions are at <a href="/ops#queues">Operations</a>.
      </p>
      <p id="said" class="quiet" role="status">
        {`As of ${formatUtcTime(now)}.`}
      </p>
      {(Object.keys(queues) as QueueName[]).map((queue) => (
        <QueueJobs queue={queue} jobs={queues[queue]} server={server} now={now} />
      ))}
    </Layout>,
  );

interface QueueJobsProps {
  readonly queue: QueueName;
  readonly jobs: readonly QueuedJob[] | null;
  readonly server: string;
  readonly now: Date;
}

const QueueJobs = ({ queue, jobs, server, now }: QueueJobsProps): VNode => (
  <section id={queue}>
    <h2 id={`${queue}-title`}>
      {QUEUE_LABELS[queue].name} <code>{queue}</code>
    </h2>
    {jobs === null ? (
      <p class="notice" role="alert">
        The queue server does not answer at {server}: start it, or check the connection. No work is lost: jobs are added
        again once it answers.
      </p>
    ) : jobs.length === 0 ? (
      <p>No jobs.</p>
    ) : (
      <JobTable queue={queue} jobs={jobs} now={now} />
    )}
  </section>
);

interface JobTableProps {
  readonly queue: QueueName;
  readonly jobs: readonly QueuedJob[];
  readonly now: Date;
}

function JobTable({ queue, jobs, now }: JobTableProps): VNode {
  const active = jobs.filter(({ takenAt }) => takenAt !== null).length;
  const isCut = [active, jobs.length - active].includes(MAX_SHOWN_JOBS);
  return (
    <>
      <div class="table" tabindex={0} role="region" aria-labelledby={`${queue}-title`}>
        <table>
          <thead>
            <tr>
              {['Job', 'State', 'Taken by a worker', 'Added', 'Attempts'].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {jobs.map(({ id, addedAt, takenAt, attempts }) => (
              <tr id={`job-${id}`}>
                <th scope="row">
                  <code>{id}</code>
                </th>
                <td>{takenAt ? 'active' : 'waiting'}</td>
                <td>{takenAt ? <Age at={takenAt} now={now} /> : '–'}</td>
                <td>
                  <Age at={addedAt} now={now} />
                </td>
                <td>{count(attempts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && <p class="quiet">At most {MAX_SHOWN_JOBS} jobs of each state are listed, the oldest ones.</p>}
    </>
  );
}
