import { type VNode } from 'preact';
import { QUEUE_LABELS, formatUtcTime, missingQueueServerMessage } from '@donorlens/operations';
import { type JobList, type QueuedJob, type QueueName } from '@donorlens/queues';
import { counted } from '@donorlens/primitives';
import { type SessionUser } from '../../access/sessions';
import { count } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { Age, RELOAD_SECONDS } from './ops-components';

/** Maximum of listed jobs of each state and queue. */
export const MAX_LISTED_JOBS = 20;

interface JobsPageProps {
  /** Null: the queue server does not answer. */
  readonly queues: Readonly<Record<QueueName, JobList | null>>;
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
        Each job is a chunk of a batch or a call to the geocoder. It is removed when it ends or fails. While the circuit
        breaker of the geocoder is open, waiting calls have no jobs. Rates, failures and actions are at{' '}
        <a href="/ops#queues">Operations</a>.
      </p>
      <p id="said" class="quiet" role="status">
        {`As of ${formatUtcTime(now)}.`}
      </p>
      {Object.values(queues).includes(null) && (
        <p class="notice" role="alert">
          {missingQueueServerMessage(server)} No work is lost: jobs are added again once it answers.
        </p>
      )}
      {(Object.keys(queues) as QueueName[]).map((queue) => (
        <Jobs queue={queue} list={queues[queue]} now={now} />
      ))}
    </Layout>,
  );

interface JobsProps {
  readonly queue: QueueName;
  readonly list: JobList | null;
  readonly now: Date;
}

const Jobs = ({ queue, list, now }: JobsProps): VNode => (
  <section id={queue}>
    <h2 id={`${queue}-title`}>
      {QUEUE_LABELS[queue].name} <code>{queue}</code>
    </h2>
    <p>{list === null ? 'Unknown.' : summaryOf(list)}</p>
    {list !== null && list.jobs.length > 0 && <JobTable queue={queue} list={list} now={now} />}
  </section>
);

function summaryOf({ isPaused, active, waiting }: JobList): string {
  const isCut = Math.max(active, waiting) > MAX_LISTED_JOBS;
  const jobs = active + waiting === 0 ? 'No jobs' : `${counted(active, 'active job')}, ${count(waiting)} waiting`;
  const limit = isCut ? ` The ${MAX_LISTED_JOBS} oldest of each state are listed.` : '';
  return `${jobs}.${limit}${isPaused ? ' Paused: workers take no new jobs.' : ''}`;
}

const HEADINGS = {
  enrich: ['Chunk', 'State', 'Added', 'Taken by a worker', 'Batch'],
  geocode: ['Call', 'State', 'Added', 'Taken by a worker'],
} as const satisfies Record<QueueName, readonly string[]>;

const JobTable = ({ queue, list: { jobs }, now }: JobsProps & { readonly list: JobList }): VNode => (
  <div class="table" tabindex={0} role="region" aria-labelledby={`${queue}-title`}>
    <table>
      <thead>
        <tr>
          {HEADINGS[queue].map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <Row job={job} now={now} />
        ))}
      </tbody>
    </table>
  </div>
);

function Row({ job: { id, data, addedAt, takenAt }, now }: { readonly job: QueuedJob; readonly now: Date }): VNode {
  return (
    <tr id={`job-${id}`}>
      <th scope="row">{'callId' in data ? `call ${data.callId}` : `chunk ${data.seq}`}</th>
      <td>{takenAt ? 'active' : 'waiting'}</td>
      <td>
        <Age at={addedAt} now={now} />
      </td>
      <td>
        <Age at={takenAt} now={now} none="–" />
      </td>
      {'batchId' in data && (
        <td>
          <code>{data.batchId}</code>
        </td>
      )}
    </tr>
  );
}
