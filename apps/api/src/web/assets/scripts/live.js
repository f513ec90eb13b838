/*
 * The page of a batch: updates the numbers in place from the event stream. Without the stream the page reloads at
 * intervals, as it does without scripts.
 */
const RELOAD_MS = 5000;
const MAX_FAILURES = 3;

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const count = (number) => (number > 0 && number < 0.5 ? '< 1' : whole.format(number));
const announce = (text) => (document.getElementById('said').textContent = text);
const show = (element, text) => {
  if (element && element.textContent !== text) element.textContent = text;
};

function duration(seconds) {
  const [number, unit] =
    seconds < 100 ? [seconds, 'second'] : seconds < 6000 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  const shown = Math.round(number);
  return `${count(shown)} ${unit}${shown === 1 ? '' : 's'}`;
}

function showStages({ stages, addresses }) {
  for (const stage of document.querySelectorAll('[data-stage]')) {
    const ofAddresses = stage.dataset.stage === 'geocoded';
    const { done, total } = stages[stage.dataset.stage];
    const percent = `${total === 0 ? 100 : Math.floor((100 * done) / total)}%`;
    show(stage.querySelector('.share'), ofAddresses ? geocodedText(addresses) : percent);
    const found = addresses.match + addresses.no_match + addresses.tie;
    const waiting = addresses.pending + stages.enriched.total - stages.enriched.done;
    const [value, max] = ofAddresses ? [found, found + waiting] : [done, total];
    const bar = stage.querySelector('progress');
    bar.max = Math.max(1, max);
    bar.value = max === 0 ? 1 : value;
  }
}

function geocodedText({ match, no_match, tie, skipped, pending }) {
  const done = match + no_match + tie;
  const parts = done + pending > 0 ? [`${count(done)} of ${count(done + pending)} geocoded`] : [];
  if (skipped > 0) parts.push(`${count(skipped)} without a usable address`);
  return parts.join(', ') || '0 geocoded';
}

/** The parts of a reason as sentences. */
const sentences = (text) =>
  text
    .split('; ')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1) + (/[.!?…]$/.test(part) ? '' : '.'))
    .join(' ');

function showStall({ stages: { enriched }, addresses: { pending }, waits_for: reason }) {
  const notice = document.getElementById('held-up');
  if (!notice) return;
  notice.hidden = reason === null || pending > 0 || enriched.done === enriched.total;
  if (!notice.hidden) show(notice, `Waiting: ${reason}. No data is lost.`);
}

function showPending({ addresses: { pending }, waits_for: reason }) {
  const notice = document.getElementById('waiting');
  if (!notice) return;
  notice.hidden = pending === 0;
  const text = pending === 1 ? '1 row waits for its address' : `${count(pending)} rows wait for their addresses`;
  show(notice.querySelector('[data-waiting]'), reason === null ? `${text}.` : `${text}. ${sentences(reason)}`);
}

let announcedTenth = 0;

/** Announces every 10% to screen readers, not every update. */
function announceProgress(batch) {
  const tenth = Math.floor(10 * batch.progress);
  if (tenth > announcedTenth) announce(heading(batch));
  announcedTenth = tenth;
}

/** The same text as the heading of the page. */
function heading({ counts: { total }, stages: { enriched }, addresses: { pending }, state }) {
  const label = state === 'accepted' ? 'queued' : state;
  const rows = `${count(total)} ${total === 1 ? 'row' : 'rows'}, ${label}`;
  if (enriched.done !== total) return `${count(enriched.done)} of ${rows}`;
  if (pending === 0 || !['running', 'completed'].includes(state)) return rows;
  return `${rows}; ${count(pending)} with a pending address`;
}

function showBatch(batch) {
  for (const element of document.querySelectorAll('[data-count]'))
    show(element, count(element.dataset.count.split('.').reduce((value, key) => value[key], batch)));
  showStages(batch);
  showStall(batch);
  showPending(batch);
  const pace = batch.rows_per_second === null ? '' : `${count(batch.rows_per_second)} rows per second. `;
  const left = batch.eta_seconds === null ? '' : `About ${duration(batch.eta_seconds)} left. `;
  show(document.querySelector('[data-pace]'), pace + left);
  const h1 = document.querySelector('[data-heading]');
  show(h1, heading(batch));
  const files = document.querySelector('[data-files]');
  if (files) files.hidden = batch.stages.enriched.done === 0;
  const errors = document.querySelector('[data-errors]');
  if (errors) errors.hidden = batch.counts.invalid + batch.counts.failed === 0;
  document.title = `${h1.dataset.name}: ${heading(batch)} · donorlens`;
  announceProgress(batch);
  listInvalid(batch.counts);
}

async function pageNow() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

let isListing = false;

/** Lists the first invalid and failed rows, until the list is full. */
async function listInvalid({ invalid, failed }) {
  const list = document.querySelector('[data-unread]');
  const all = invalid + failed;
  show(list?.querySelector('[data-all-unread]'), count(all));
  if (!list || isListing || list.querySelectorAll('li').length >= Math.min(all, Number(list.dataset.unread))) return;
  isListing = true;
  try {
    const fresh = (await pageNow()).querySelector('[data-unread]');
    if (fresh && !list.contains(document.activeElement)) list.replaceWith(fresh);
  } catch {
    // the next event tries again
  } finally {
    isListing = false;
  }
}

const reloadSoon = () => setTimeout(() => location.reload(), RELOAD_MS);

/** Replaces the content with the page of the ended batch without a reload, and announces the end. */
async function finish(batch) {
  const page = await pageNow();
  const focused =
    document.activeElement !== document.body && document.querySelector('main').contains(document.activeElement);
  document.querySelector('main').replaceWith(page.querySelector('main'));
  document.title = page.title;
  if (focused) document.querySelector('h1').focus();
  for (const script of page.querySelectorAll('script[src]')) await import(script.getAttribute('src')); // of charts
  requestAnimationFrame(() => announce(`Batch ${batch.state}.`));
}

function follow() {
  const url = new URL(location.href);
  url.searchParams.set('format', 'sse');
  const events = new EventSource(url);
  let failures = 0;
  events.addEventListener('progress', ({ data }) => {
    failures = 0;
    showBatch(JSON.parse(data));
  });
  events.addEventListener('end', ({ data }) => {
    events.close();
    finish(JSON.parse(data)).catch(reloadSoon);
  });
  events.addEventListener('deleted', () => {
    events.close();
    location.assign('/batches');
  });
  events.addEventListener('error', () => {
    failures++;
    if (events.readyState !== EventSource.CLOSED && failures < MAX_FAILURES) return; // the browser reconnects
    events.close();
    reloadSoon();
  });
}

if ('EventSource' in window) follow();
else reloadSoon();
