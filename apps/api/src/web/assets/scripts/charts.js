/*
 * Charts: shows the values of a day, an age group or a year of birth under the pointer or the slider, hides series, and
 * saves the chart as PNG. The URL fragment holds the state of each chart, so that a link restores it.
 */
const SVG = 'http://www.w3.org/2000/svg';
const PNG_SCALE = 2;
const DAY_MS = 86_400_000;
/** Width of the slider's thumb in pixels, whose center marks the value. */
const THUMB_WIDTH = 16;
/** Minimum width of the slider: the data of a new cycle fill only a small part of the scale. */
const MIN_SLIDER = '9rem';
const LABELS = { days: 'Day', ages: 'Age group', births: 'Year of birth' };
const SINGULAR = { donors: 'donor', people: 'person' };
const SVG_LINK = '.files a[href*="format=svg"]';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const share = new Intl.NumberFormat('en-US', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** A piece of the line of a series, with its color and dashes. */
const swatch = (series) => {
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('class', `swatch series-${series}`);
  const line = picture.appendChild(document.createElementNS(SVG, 'line'));
  for (const [name, value] of Object.entries({ x2: '100%', y1: '50%', y2: '50%' })) line.setAttribute(name, value);
  return picture;
};

/** The chart of a data block. The suffix of ids and of names in the fragment is empty for the first chart. */
class Chart {
  at = null;
  hidden = new Set();

  constructor(source, suffix) {
    this.figure = source.closest('figure');
    this.suffix = suffix;
    this.data = JSON.parse(source.textContent);
    const { kind, first, last, series } = this.data;
    if (kind === 'days')
      for (const { values } of series) for (let day = 1; day < values.length; day++) values[day] += values[day - 1];
    /** Initial position of the slider: the last day, the largest age group, or the year with the most living people. */
    const { values } = series[kind === 'births' ? 1 : 0];
    const largest = Math.max(0, values.indexOf(Math.max(...values))); // -1 without values
    this.initial = { days: last, ages: largest, births: first + largest }[kind];
    this.plots = this.addCursors();
    this.addControls();
    this.addPointer();
    this.addPng();
    new ResizeObserver(() => this.alignSlider()).observe(this.figure);
    this.readState();
    this.show();
  }

  dateOf(day, style) {
    const date = new Date(Date.parse(this.data.start) + day * DAY_MS);
    return date.toLocaleDateString('en-US', { timeZone: 'UTC', ...style });
  }

  /** Text of the slider's position: a year, a date, a day of several compared cycles, or an age group. */
  positionText(at) {
    const { kind, step, start, isOneCycle } = this.data;
    if (kind === 'births') return String(at);
    if (kind === 'ages') return `${at * step} to ${(at + 1) * step - 1}`;
    if (isOneCycle) return this.dateOf(at, { dateStyle: 'long' });
    const year = this.dateOf(at, { year: 'numeric' }) === start.slice(0, 4) ? 'first' : 'second';
    return `${this.dateOf(at, { month: 'long', day: 'numeric' })}, ${year} year`;
  }

  valueText({ values, known }, at) {
    const { kind, first, people = 'donors' } = this.data;
    const text = (count) => {
      const number = count > 0 && count < 0.5 ? 'under 1' : whole.format(count);
      return `${number} ${/^(under )?1$/.test(number) ? SINGULAR[people] : people}`;
    };
    if (kind === 'births') return text(values[at - first]);
    if (kind === 'days' && at >= values.length)
      return `${text(values.at(-1))} by ${this.positionText(values.length - 1)}`; // the data end earlier
    if (kind === 'days') return text(values[at]);
    const count = values[at] ?? 0;
    return `${text(count)} (${share.format(count / (known || 1))})`;
  }

  readState() {
    const { first, last, series } = this.data;
    const given = new URLSearchParams(location.hash.slice(1));
    const at = Number.parseInt(given.get(`at${this.suffix}`) ?? '', 10);
    const hidden = (given.get(`hide${this.suffix}`) ?? '').split(',');
    this.at = at >= first && at <= last ? at : null;
    this.hidden = new Set(hidden.filter((id) => series.some((one) => one.id === id)));
  }

  /** Replaces this chart's part of the URL fragment. */
  writeState() {
    const own = [`at${this.suffix}`, `hide${this.suffix}`];
    const parts = location.hash.slice(1).split('&');
    const written = [
      ...parts.filter((part) => part !== '' && !own.includes(part.split('=')[0])),
      ...(this.at === null ? [] : [`${own[0]}=${this.at}`]),
      ...(this.hidden.size === 0 ? [] : [`${own[1]}=${[...this.hidden].join(',')}`]),
    ];
    const address = written.length === 0 ? location.pathname + location.search : `#${written.join('&')}`;
    history.replaceState(history.state, '', address);
  }

  addControls() {
    const { kind, first, last, series } = this.data;
    const id = `chart-position${this.suffix}`;
    this.slider = element('input', { type: 'range', min: first, max: last, step: 1, value: this.initial, id });
    this.position = element('strong');
    this.toggles = series.map((one, at) => {
      const marks = kind === 'days' ? [swatch(at)] : [];
      const button = element('button', { type: 'button', className: 'toggle' }, ...marks, one.name);
      button.addEventListener('click', () => {
        if (!this.hidden.delete(one.id)) this.hidden.add(one.id);
        this.writeState();
        this.show();
      });
      return { button, value: element('span', { className: 'value' }) };
    });
    this.slider.addEventListener('input', () => this.moveTo(Number(this.slider.value)));
    this.slider.addEventListener('change', () => this.writeState());
    addEventListener('hashchange', () => {
      this.readState();
      this.show();
    });
    const label = element('label', { htmlFor: id }, LABELS[kind], ' ', this.position);
    const list = element('ul', {}, ...this.toggles.map(({ button, value }) => element('li', {}, button, ' ', value)));
    // below a heading of the figure, above the picture
    this.figure.querySelector('.wide').before(element('div', { className: 'explore' }, label, this.slider, list));
  }

  /** Adds a line at the slider's position to each plot. A line chart has one plot, an age chart one per histogram. */
  addCursors() {
    return [...this.figure.querySelectorAll('svg[data-plots]')].flatMap((picture) =>
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
  }

  /** Horizontal scale of a plot: SVG units for a position, and the position for SVG units. */
  scaleOf({ left, right }) {
    const { kind, domain, step = 1 } = this.data;
    const [from, to] = domain;
    const offset = kind === 'days' ? 0 : step / 2;
    return {
      xOf: (at) => left + ((right - left) * (at * step + offset - from)) / (to - from),
      positionAt: (x) => Math.round((from + ((x - left) * (to - from)) / (right - left) - offset) / step),
    };
  }

  addPointer() {
    for (const picture of new Set(this.plots.map((plot) => plot.picture))) {
      picture.addEventListener('pointermove', (event) => {
        const box = picture.getBoundingClientRect();
        const scale = picture.viewBox.baseVal.width / box.width;
        const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
        const isOver = (plot) =>
          plot.picture === picture && x >= plot.left && x <= plot.right && y >= plot.top - 20 && y <= plot.bottom;
        const plot = this.plots.find(isOver);
        if (plot) this.moveTo(this.scaleOf(plot).positionAt(x));
      });
      picture.addEventListener('pointerleave', () => this.writeState());
    }
  }

  /** Puts the slider's ends above the ends of the visible picture's scale, if the picture has one plot. */
  alignSlider() {
    const visible = this.plots.filter(({ picture }) => picture.getBoundingClientRect().width > 0);
    if (visible.length !== 1) return;
    const [plot] = visible;
    const { width } = plot.picture.getBoundingClientRect();
    const percent = (100 * width) / plot.picture.viewBox.baseVal.width / this.slider.parentElement.clientWidth;
    const [from, to] = [this.data.first, this.data.last].map((at) => this.scaleOf(plot).xOf(at) * percent);
    // Pixels would keep a page that becomes narrower too wide until the next call
    this.slider.style.marginLeft = `calc(${from}% - ${THUMB_WIDTH / 2}px)`;
    this.slider.style.width = `max(${MIN_SLIDER}, ${to - from}% + ${THUMB_WIDTH}px)`;
  }

  moveTo(at) {
    this.at = Math.min(this.data.last, Math.max(this.data.first, at));
    this.show();
  }

  show() {
    const { series } = this.data;
    const at = this.at ?? this.initial;
    const position = this.positionText(at);
    this.slider.value = at;
    this.position.textContent = position;
    for (const [number, one] of series.entries()) {
      const { button, value } = this.toggles[number];
      const isHidden = this.hidden.has(one.id);
      button.setAttribute('aria-pressed', String(!isHidden));
      value.textContent = isHidden ? '' : this.valueText(one, at);
      for (const drawn of this.figure.querySelectorAll(`[data-series="${number}"]`))
        drawn.classList.toggle('hidden', isHidden);
    }
    const shown = series.filter(({ id }) => !this.hidden.has(id));
    const texts = shown.map((one) => `${one.name} ${this.valueText(one, at)}`);
    this.slider.setAttribute('aria-valuetext', [position, ...texts].join('; '));
    for (const plot of this.plots) {
      const x = this.scaleOf(plot).xOf(at);
      plot.line.setAttribute('visibility', this.at === null ? 'hidden' : 'visible');
      plot.line.setAttribute('x1', x);
      plot.line.setAttribute('x2', x);
    }
  }

  /** Offers a PNG next to the SVG file of the section, or for the first chart next to that of the page. */
  addPng() {
    const own = this.figure.closest('section')?.querySelector(SVG_LINK);
    const link = own ?? (this.suffix === '' ? document.querySelector(SVG_LINK) : null);
    if (link === null) return;
    link.download = `${this.data.file}.svg`;
    addPng(link);
  }
}

/** Adds a button that saves the SVG file of a link as PNG. */
function addPng(link) {
  const png = element('button', { type: 'button', className: 'link' }, 'PNG');
  png.addEventListener('click', () => savePng(link).catch(() => (png.textContent = 'PNG failed: try again')));
  link.after(' · ', png);
}

/** Draws an SVG file on a canvas, twice as large, and saves it. */
async function savePng(link) {
  const text = await (await fetch(link.href)).text();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = element('canvas', { width: image.width * PNG_SCALE, height: image.height * PNG_SCALE });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
  const file = element('a', { href: URL.createObjectURL(blob), download: link.download.replace(/svg$/, 'png') });
  file.click();
  URL.revokeObjectURL(file.href);
}

for (const [at, source] of document.querySelectorAll('.chart-data').entries())
  new Chart(source, at === 0 ? '' : String(at + 1));
// Charts that print their values have no data block, but also offer a PNG.
for (const link of document.querySelectorAll(`${SVG_LINK}[download]:last-child`)) addPng(link);

// In a frame, the page tells the embedding site its height. The script of the embed snippet applies it.
if (parent !== window)
  new ResizeObserver(() => {
    parent.postMessage({ donorlensHeight: Math.ceil(document.body.getBoundingClientRect().height) }, '*');
  }).observe(document.body);
