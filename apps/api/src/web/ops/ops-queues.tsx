import { type VNode } from 'preact';
import { QUEUE_LABELS, type QueueStatus } from '@donorlens/operations';
import { counted } from '@donorlens/primitives';
import { count } from '../layout/labels';
import { Age, RequestButton, type OpsView, rate } from './ops-components';

/** Jobs, throughput and stall reason of each queue. */
export const QueuesSection = ({ view }: { readonly view: OpsView }): VNode => (
  <section id="queues">
    <h2 id="queues-title">Queues</h2>
    <div class="queues">
      {view.status.queues.map((queue) => (
        <Queue status={queue} view={view} />
      ))}
    </div>
    <p class="quiet">
      Workers finish their current jobs of a paused queue and take no new ones. Retrying failed jobs makes jobs that
      wait for a retry due now, re-enqueues jobs that may be lost, and lets the next call test an open circuit. Single
      jobs are at <a href="/ops/queues">/ops/queues</a>.
    </p>
  </section>
);

interface QueueProps {
  readonly status: QueueStatus;
  readonly view: OpsView;
}

const Queue = ({ status, view }: QueueProps): VNode => (
  <article class="queue" aria-labelledby={`queue-${status.queue}`}>
    <h3 id={`queue-${status.queue}`}>
      {QUEUE_LABELS[status.queue].name} <code>{status.queue}</code>
    </h3>
    <State status={status} view={view} />
    <Figures status={status} now={view.now} />
    <Throughput status={status} />
    <LastHour status={status} />
    <Actions status={status} view={view} />
  </article>
);

function Figures({ status, now }: { readonly status: QueueStatus; readonly now: Date }): VNode {
  const { queue, jobs, nextRetryAt } = status;
  const { job, items } = QUEUE_LABELS[queue];
  return (
    <dl class="numbers tally">
      <Figure name={`${job}s waiting`} value={count(status.waiting)} />
      <Figure name={`${items} waiting`} value={count(status.waitingRows)} />
      <Figure name="active" value={count(status.inWork)} />
      <Figure name="waiting for retry" value={count(status.waitingForRetry)}>
        {nextRetryAt && <Age at={nextRetryAt} now={now} />}
      </Figure>
      <Figure name="oldest waiting" value={<Age at={status.oldestWaitingAt} now={now} none="none" />} />
      <Figure name="workers" value={count(status.workers)} />
      <Figure name="failed in the last hour" value={count(status.failedLastHour)} />
      <Figure
        name="jobs waiting / active"
        value={jobs ? `${count(jobs.waiting)} / ${count(jobs.active)}` : 'no answer'}
      />
    </dl>
  );
}

const MINUTES = [1, 15, 60] as const;

const Throughput = ({ status: { queue, perMinute } }: { readonly status: QueueStatus }): VNode => (
  <table class="pace">
    <caption>{`${QUEUE_LABELS[queue].job}s per minute`}</caption>
    <thead>
      <tr>
        {MINUTES.map((minutes) => (
          <th scope="col">{`last ${minutes} min`}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      <tr>
        {MINUTES.map((minutes) => (
          <td>{rate(perMinute[minutes])}</td>
        ))}
      </tr>
    </tbody>
  </table>
);

const BAR = 4;
const HEIGHT = 40;
const MINUTES_SHOWN = 60;

/** Jobs that ended in each minute of the last hour, as bars; failed ones are marked. */
function LastHour({ status: { queue, lastHour } }: { readonly status: QueueStatus }): VNode {
  const most = Math.max(1, ...lastHour.map(({ done, failed }) => done + failed));
  const [done, failed] = [sumOf(lastHour, 'done'), sumOf(lastHour, 'failed')];
  const { job } = QUEUE_LABELS[queue];
  const text = `Last hour: ${counted(done, job)} done, ${count(failed)} failed; at most ${count(most)} in a minute`;
  return (
    <figure class="hour">
      <svg viewBox={`0 0 ${MINUTES_SHOWN * BAR} ${HEIGHT}`} role="img" aria-label={text}>
        {lastHour.map((minute) => {
          const x = (MINUTES_SHOWN - 1 - minute.ago) * BAR;
          const tall = ((minute.done + minute.failed) * HEIGHT) / most;
          const red = (minute.failed * HEIGHT) / most;
          return (
            <g>
              <rect class="done" x={x} y={HEIGHT - tall} width={BAR - 1} height={tall} />
              {red > 0 && <rect class="failed" x={x} y={HEIGHT - red} width={BAR - 1} height={red} />}
            </g>
          );
        })}
        <line x1="0" x2={MINUTES_SHOWN * BAR} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <figcaption>{done + failed === 0 ? 'Last hour: no jobs ended.' : `${text}.`}</figcaption>
    </figure>
  );
}

const sumOf = (minutes: QueueStatus['lastHour'], kind: 'done' | 'failed'): number =>
  minutes.reduce((sum, minute) => sum + minute[kind], 0);

function Actions({ status: { queue, pausedAt }, view: { user, isOff } }: QueueProps): VNode {
  const shared = { target: { queue }, user, isOff, about: queue };
  return (
    <div class="actions">
      <RequestButton action={pausedAt ? 'resume' : 'pause'} label={pausedAt ? 'Resume' : 'Pause'} {...shared} />
      <RequestButton action="redrive" label="Retry failed jobs" {...shared} />
    </div>
  );
}

function State({ status, view }: QueueProps): VNode {
  const { pausedAt, pausedBy, stallReason } = status;
  if (view.issue?.kind === 'away' || stallReason !== null)
    return (
      <p class="notice">
        <strong>Stopped.</strong> The <a href="#attention">alerts</a> name the reason.
      </p>
    );
  if (pausedAt)
    return (
      <p class="notice">
        <strong>Paused</strong> by {pausedBy} <Age at={pausedAt} now={view.now} />; no jobs are waiting.
      </p>
    );
  return <p class="moves">{activity(status)}</p>;
}

/** State of a queue that is neither stalled nor paused. */
function activity({ queue, inWork, waiting, waitingRows, waitingForRetry, perMinute }: QueueStatus): string {
  const { job, items } = QUEUE_LABELS[queue];
  if (waiting + waitingRows + waitingForRetry + inWork === 0) return 'Idle.';
  if (inWork > 0 || perMinute[1] > 0) return `Running: ${counted(inWork, job)} active.`;
  return `Starting: ${waiting > 0 ? counted(waiting, job) : `${count(waitingRows)} ${items}`} waiting.`;
}

interface FigureProps {
  readonly name: string;
  readonly value: string | VNode;
  readonly children?: VNode | null;
}

export const Figure = ({ name, value, children }: FigureProps): VNode => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value} {children && <small>{children}</small>}
    </dd>
  </div>
);
