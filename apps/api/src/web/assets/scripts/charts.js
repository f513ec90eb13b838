/*
 * Charts: shows the values of a day, an age group or a year of birth under the pointer or the slider, hides series, and saves the
 * chart as PNG. The fragment of the address holds what is shown, so that a link shows the same.
 */
const SVG = 'http://www.w3.org/2000/svg';
const PNG_SCALE = 2;
const DAY_MS = 86_400_000;

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const share = new Intl.NumberFormat('en-US', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const source = document.getElementById('chart-data');
const figure = source.closest('figure');
const data = JSON.parse(source.textContent);
const { kind, first, last, series } = data;
if (kind === 'days')
  for (const { values } of series) for (let day = 1; day < values.length; day++) values[day] += values[day - 1];

const dateOf = (day, style) =>
  new Date(Date.parse(data.start) + day * DAY_MS).toLocaleDateString('en-US', { timeZone: 'UTC', ...style });

/** What the slider stands at: a year, a date, a day of cycles that are compared, or an age group. */
function positionText(at) {
  if (kind === 'births') return String(at);
  if (kind === 'ages') return `Age ${at * data.step} to ${(at + 1) * data.step - 1}`;
  if (data.isOneCycle) return dateOf(at, { dateStyle: 'long' });
  const year = dateOf(at, { year: 'numeric' }) === data.start.slice(0, 4) ? 'first' : 'second';
  return `${dateOf(at, { month: 'long', day: 'numeric' })}, ${year} year`;
}

const SINGULAR = { donors: 'donor', people: 'person' };
const { people = 'donors' } = data;
const peopleText = (count) => `${whole.format(count)} ${count === 1 ? SINGULAR[people] : people}`;

function valueText({ values, known }, at) {
  if (kind === 'births') return peopleText(values[at - first]);
  if (kind === 'days') return values[at] === undefined ? 'no data yet' : peopleText(values[at]);
  const count = values[at] ?? 0;
  return `${peopleText(count)} (${share.format(count / (known || 1))})`;
}

const state = { at: null, hidden: new Set() };

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  const at = Number.parseInt(given.get('at') ?? '', 10);
  state.at = at >= first && at <= last ? at : null;
  state.hidden = new Set((given.get('hide') ?? '').split(',').filter((id) => series.some((one) => one.id === id)));
}

function writeState() {
  const parts = [
    ...(state.at === null ? [] : [`at=${state.at}`]),
    ...(state.hidden.size === 0 ? [] : [`hide=${[...state.hidden].join(',')}`]),
  ];
  history.replaceState(
    history.state,
    '',
    parts.length === 0 ? location.pathname + location.search : `#${parts.join('&')}`,
  );
}

const LABELS = { days: 'Day', ages: 'Age group', births: 'Year of birth' };
/** Where the slider begins: the last day, or the largest age group or year of birth. */
const largest = series[0].values.indexOf(Math.max(...series[0].values));
const initial = { days: last, ages: largest, births: first + largest }[kind];

const slider = element('input', {
  type: 'range',
  min: first,
  max: last,
  step: 1,
  value: initial,
  id: 'chart-position',
});
const position = element('strong');
const toggles = series.map((one, at) => {
  const value = element('span', { className: 'value' });
  const button = element(
    'button',
    { type: 'button', className: 'toggle' },
    element('span', { className: `swatch series-${kind === 'days' ? at : 'ages'}` }),
    one.name,
  );
  button.addEventListener('click', () => {
    if (!state.hidden.delete(one.id)) state.hidden.add(one.id);
    writeState();
    show();
  });
  return { button, value };
});
figure.prepend(
  element(
    'div',
    { className: 'explore' },
    element('label', { htmlFor: slider.id }, LABELS[kind], ' ', position),
    slider,
    element('ul', {}, ...toggles.map(({ button, value }) => element('li', {}, button, ' ', value))),
  ),
);

/** The plots of a picture with a line at the slider's position; one plot for lines, one for each histogram. */
const plots = [...figure.querySelectorAll('svg[data-plots]')].flatMap((picture) =>
  picture.dataset.plots.split(';').map((text) => {
    const [left, right, top, bottom] = text.split(',').map(Number);
    const line = document.createElementNS(SVG, 'line');
    line.setAttribute('class', 'cursor');
    line.setAttribute('y1', top);
    line.setAttribute('y2', bottom);
    picture.append(line);
    return { picture, left, right, top, bottom, line };
  }),
);
const [from, to] = data.domain;
const step = data.step ?? 1;
const offset = kind === 'days' ? 0 : step / 2;
const xOf = ({ left, right }, at) => left + ((right - left) * (at * step + offset - from)) / (to - from);
const positionAt = ({ left, right }, x) =>
  Math.round((from + ((x - left) * (to - from)) / (right - left) - offset) / step);

function show() {
  const at = state.at ?? initial;
  slider.value = at;
  position.textContent = positionText(at);
  for (const [number, one] of series.entries()) {
    const { button, value } = toggles[number];
    const isHidden = state.hidden.has(one.id);
    button.setAttribute('aria-pressed', String(!isHidden));
    value.textContent = isHidden ? '' : valueText(one, at);
    for (const drawn of figure.querySelectorAll(`[data-series="${number}"]`))
      drawn.classList.toggle('hidden', isHidden);
  }
  const shown = series.filter(({ id }) => !state.hidden.has(id));
  slider.setAttribute(
    'aria-valuetext',
    [positionText(at), ...shown.map((one) => `${one.name} ${valueText(one, at)}`)].join('; '),
  );
  for (const plot of plots) {
    plot.line.setAttribute('visibility', state.at === null ? 'hidden' : 'visible');
    plot.line.setAttribute('x1', xOf(plot, at));
    plot.line.setAttribute('x2', xOf(plot, at));
  }
}

function moveTo(at) {
  state.at = Math.min(last, Math.max(first, at));
  show();
}

slider.addEventListener('input', () => moveTo(Number(slider.value)));
slider.addEventListener('change', writeState);
for (const picture of new Set(plots.map((plot) => plot.picture))) {
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const isOver = (plot) =>
      plot.picture === picture && x >= plot.left && x <= plot.right && y >= plot.top - 20 && y <= plot.bottom;
    const plot = plots.find(isOver);
    if (plot) moveTo(positionAt(plot, x));
  });
  picture.addEventListener('pointerleave', writeState);
}
addEventListener('hashchange', () => {
  readState();
  show();
});

/** Draws the SVG file of the chart on a canvas, twice as large. */
async function savePng(link) {
  const text = await (await fetch(link.href)).text();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = element('canvas', { width: image.width * PNG_SCALE, height: image.height * PNG_SCALE });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
  const file = element('a', { href: URL.createObjectURL(blob), download: `${data.file}.png` });
  file.click();
  URL.revokeObjectURL(file.href);
}

const picture = document.querySelector('.files a[href*="format=svg"]');
if (picture) {
  picture.download = `${data.file}.svg`;
  const png = element('button', { type: 'button', className: 'link' }, 'PNG');
  png.addEventListener('click', () => savePng(picture).catch(() => (png.textContent = 'PNG failed: try again')));
  picture.after(' · ', png);
}

readState();
show();
