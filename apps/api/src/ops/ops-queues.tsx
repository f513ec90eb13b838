import { type VNode } from 'preact';
import { type QueueStatus, QUEUE_WORDS, databaseAway } from '@donorlens/operations';
import { counted } from '@donorlens/primitives';
import { count } from '../pages/words';
import { AskButton } from './ask-button';
import { type OpsView } from './ops-view';
import { Age, rate } from './ops-words';

/** What waits where, how fast it goes, and why it does not. */
export const QueuesSection = ({ view }: { readonly view: OpsView }): VNode => (
  <section id="queues">
    <h2 id="queues-title">Queues</h2>
    <div class="queues">
      {view.status.queues.map((queue) => (
        <Queue queue={queue} view={view} />
      ))}
    </div>
    <p class="quiet">
      While a queue is paused workers take no further job from it, and end those in hand. Redriving makes due at once
      what is parked for a next try or whose job may be lost, and lets the next call try an open circuit. Single jobs,
      as the queue’s server has them, are at <a href="/ops/queues">/ops/queues</a>.
    </p>
  </section>
);

function Queue({ queue: status, view }: { readonly queue: QueueStatus; readonly view: OpsView }): VNode {
  const { queue, pausedAt, parked, parkedUntil, jobs, perMinute } = status;
  const { name, job, items } = QUEUE_WORDS[queue];
  const { now } = view;
  return (
    <article class="queue" aria-labelledby={`queue-${queue}`}>
      <h3 id={`queue-${queue}`}>
        {name} <code>{queue}</code>
      </h3>
      <State status={status} view={view} />
      <dl class="numbers tally">
        <Figure name={`${job}s waiting`} value={count(status.waiting)} />
        <Figure name={`${items} waiting`} value={count(status.waitingRows)} />
        <Figure name="in work" value={count(status.inWork)} />
        <Figure name="parked for a next try" value={count(parked)}>
          {parkedUntil && <Age at={parkedUntil} now={now} />}
        </Figure>
        <Figure name="oldest waiting" value={<Age at={status.oldestWaitingAt} now={now} none="none" />} />
        <Figure name="workers alive" value={count(status.workers)} />
        <Figure name="failed in the last hour" value={count(status.failedLastHour)} />
        <Figure
          name="jobs waiting / active"
          value={jobs ? `${count(jobs.waiting)} / ${count(jobs.active)}` : 'no answer'}
        />
      </dl>
      <table class="pace">
        <caption>{`${job}s done a minute`}</caption>
        <thead>
          <tr>
            {[1, 15, 60].map((minutes) => (
              <th scope="col">{`last ${minutes} min`}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            {([1, 15, 60] as const).map((minutes) => (
              <td>{rate(perMinute[minutes])}</td>
            ))}
          </tr>
        </tbody>
      </table>
      <div class="actions">
        <AskButton
          action={pausedAt ? 'resume' : 'pause'}
          target={{ queue }}
          visitor={view.visitor}
          isOff={view.isOff}
          words={pausedAt ? 'Resume' : 'Pause'}
          about={queue}
        />
        <AskButton
          action="redrive"
          target={{ queue }}
          visitor={view.visitor}
          isOff={view.isOff}
          words="Redrive now"
          about={queue}
        />
      </div>
    </article>
  );
}

function State({ status, view }: { readonly status: QueueStatus; readonly view: OpsView }): VNode {
  const { pausedAt, pausedBy, standstill } = status;
  const why = view.trouble?.kind === 'away' ? databaseAway(view.trouble, view.now) : standstill;
  if (why !== null)
    return (
      <p class="notice standstill">
        <strong>Stands still.</strong> {why}
      </p>
    );
  if (pausedAt)
    return (
      <p class="notice">
        <strong>Paused</strong> by {pausedBy} <Age at={pausedAt} now={view.now} />; nothing waits.
      </p>
    );
  return <p class="moves">{movement(status)}</p>;
}

/** Of a queue that nothing stands in the way of. */
function movement({ queue, inWork, waiting, waitingRows, parked, perMinute }: QueueStatus): string {
  const { job, items } = QUEUE_WORDS[queue];
  if (waiting + waitingRows + parked + inWork === 0) return 'Nothing to do.';
  if (inWork > 0 || perMinute[1] > 0) return `Moves: ${counted(inWork, job)} in work.`;
  return `About to begin: ${waiting > 0 ? counted(waiting, `${job} waits`, `${job}s wait`) : `${count(waitingRows)} ${items} wait`}.`;
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
