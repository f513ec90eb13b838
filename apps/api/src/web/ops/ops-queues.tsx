import { type VNode } from 'preact';
import {
  QUEUE_LABELS,
  pauserText,
  type QueueMinute,
  queueState,
  type QueueStatus,
  secondsBetween,
  formatDuration,
} from '@donorlens/operations';
import { counted } from '@donorlens/primitives';
import { capitalized, count } from '../layout/labels';
import { tenth } from '../layout/picture';
import { Age, RequestButton, type OpsView, rate } from './ops-components';

/** State, last hour and jobs of each queue. */
export const QueuesSection = ({ view }: { readonly view: OpsView }): VNode => (
  <section id="queues">
    <h2 id="queues-title">Queues</h2>
    <div class="queues">
      {view.status.queues.map((queue) => (
        <Queue status={queue} view={view} />
      ))}
    </div>
    <p class="quiet">
      Bars show the last hour by minute; now is on the right. Failed jobs are red. Workers finish their current jobs of
      a paused queue and take no new ones. Retrying failed jobs makes jobs that wait for a retry due now, re-enqueues
      jobs that may be lost, and lets the next call test an open circuit. While the circuit is open, waiting calls have
      no jobs. See <a href="/ops/queues">Jobs</a>.
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
    <LastHour status={status} now={view.now} />
    <Figures status={status} now={view.now} />
    <Actions status={status} view={view} />
  </article>
);

function Figures({ status, now }: { readonly status: QueueStatus; readonly now: Date }): VNode {
  const { queue, jobs, nextRetryAt } = status;
  const { job } = QUEUE_LABELS[queue];
  return (
    <dl class="numbers counts">
      <Figure name={`${job}s waiting`} value={count(status.waiting)} />
      <Figure name="active" value={count(status.inWork)} />
      <Figure name="waiting for retry" value={count(status.waitingForRetry)}>
        {nextRetryAt && <Age at={nextRetryAt} now={now} />}
      </Figure>
      <Figure name="workers" value={count(status.workers)} />
      <Figure name="failed in the last hour" value={count(status.failedLastHour)} />
      <Figure
        name="jobs waiting / active"
        value={jobs ? `${count(jobs.waiting)} / ${count(jobs.active)}` : 'no answer'}
      />
    </dl>
  );
}

const BAR = 4;
const HEIGHT = 36;
const MINUTES_SHOWN = 60;

interface SeriesProps {
  readonly class: string;
  /** Label of the bars with the current value. */
  readonly text: string;
  readonly minutes: QueueStatus['lastHour'];
  /** The current value, which may be newer than that of the last bar. */
  readonly now?: number;
  /** Null if the value of this minute is unknown. */
  readonly valueOf: (minute: QueueMinute) => number | null;
  readonly show: (value: number) => string;
  /** Part of the bar that is marked, which the text and its maximum leave out. */
  readonly markOf?: (minute: QueueMinute) => number;
}

/** Bars of the last hour, one for each minute, the current one on the right. */
function Series({ text, minutes, now = 0, valueOf, show, markOf = () => 0, ...rest }: SeriesProps): VNode {
  const maximum = Math.max(now, ...minutes.map((minute) => (valueOf(minute) ?? 0) - markOf(minute)));
  const caption = `${text}${maximum > 0 ? `, maximum ${show(maximum)}` : ''}`;
  const most = Math.max(now, ...minutes.map((minute) => valueOf(minute) ?? 0));
  const bars = (heightOf: (minute: QueueMinute) => number): string =>
    minutes
      .map((minute) => ({ x: (MINUTES_SHOWN - 1 - minute.ago) * BAR, height: heightOf(minute) }))
      .filter(({ height }) => height > 0)
      .map(({ x, height }) => `M${x} ${HEIGHT}v${-tenth((height * HEIGHT) / most)}h${BAR - 1}V${HEIGHT}z`)
      .join('');
  return (
    <figure class={`hour ${rest.class}`}>
      <figcaption>{caption}</figcaption>
      <svg viewBox={`0 0 ${MINUTES_SHOWN * BAR} ${HEIGHT}`} role="img" aria-label={`Last hour by minute. ${caption}`}>
        <path class="all" d={bars((minute) => valueOf(minute) ?? 0)} />
        <path class="failed" d={bars(markOf)} />
        <line x1="0" x2={MINUTES_SHOWN * BAR} y1={HEIGHT} y2={HEIGHT} />
      </svg>
    </figure>
  );
}

/** Depth, rate and oldest age of the last hour. */
function LastHour({ status, now }: { readonly status: QueueStatus; readonly now: Date }): VNode {
  const { queue, lastHour: minutes, perMinute, waitingRows, oldestWaitingAt } = status;
  const { job, items } = QUEUE_LABELS[queue];
  const oldest = oldestWaitingAt === null ? null : secondsBetween(oldestWaitingAt, now);
  return (
    <>
      <Series
        class="depth"
        text={`Waiting ${items}: ${count(waitingRows)}`}
        minutes={minutes}
        now={waitingRows}
        valueOf={({ waiting }) => waiting}
        show={count}
      />
      <Series
        class="rate"
        text={`${capitalized(job)}s per minute, without failed ones: ${rate(perMinute[1])} over 1 min, ${rate(perMinute[15])} over 15 min, ${rate(perMinute[60])} over 60 min`}
        minutes={minutes}
        now={perMinute[1]}
        valueOf={({ done, failed }) => done + failed}
        markOf={({ failed }) => failed}
        show={count}
      />
      <Series
        class="age"
        text={`Oldest waiting: ${oldest === null ? 'none' : formatDuration(oldest)}`}
        minutes={minutes}
        now={oldest ?? 0}
        valueOf={({ oldestSeconds }) => oldestSeconds}
        show={formatDuration}
      />
    </>
  );
}

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
  const state = queueState(status, view.issue);
  const word = <strong>{capitalized(state)}</strong>;
  if (state === 'stopped' || (state === 'paused' && stallReason !== null))
    return (
      <p class="notice">
        {word}. The <a href="#attention">alerts</a> name the reason.
      </p>
    );
  if (state === 'paused')
    return (
      <p class="notice">
        {word} by {pauserText(pausedBy)} <Age at={pausedAt} now={view.now} />; no jobs are waiting.
      </p>
    );
  return (
    <p class="moves">
      {word}
      {ACTIVITY[state](status)}.
    </p>
  );
}

const waitingText = ({ queue, waiting, waitingRows }: QueueStatus): string =>
  waiting > 0 ? counted(waiting, QUEUE_LABELS[queue].job) : `${count(waitingRows)} ${QUEUE_LABELS[queue].items}`;

/** Activity of a queue that is neither stopped nor paused. */
const ACTIVITY = {
  idle: () => '',
  running: ({ queue, inWork }: QueueStatus) => `: ${counted(inWork, QUEUE_LABELS[queue].job)} active`,
  starting: (status: QueueStatus) => `: ${waitingText(status)} waiting`,
};

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
