/*
 * The upload page, quicker: the file is previewed as soon as it is chosen, from its beginning only, and sent with a bar that
 * shows how far it is. Everything here is also done by the form alone.
 */
const PREVIEW_BYTES = 256 * 1024;
const LF = 10;
/** What is chosen anew with each of these are the columns; all else leaves them as they were chosen. */
const RECOGNISED_BY = ['file', 'type', 'format'];

const form = document.getElementById('upload');
const input = document.getElementById('file');
const drop = document.getElementById('drop');
const place = document.getElementById('preview');
const status = document.getElementById('status');
const [look, start] = [document.getElementById('look'), document.getElementById('start')];

const say = (words) => (status.textContent = words);
const isMapping = (name) => name.startsWith('map.');

/** Of this form as it is filled in now: only the very same sent twice is one batch. */
function renewToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  form.elements.token.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The columns that are shown are of another file, or of a file read in another way: it is to be recognised anew. */
let isOther = false;

/** Fields first, then the file, as the service reads them. */
function formData(file) {
  const data = new FormData();
  for (const [name, value] of new FormData(form))
    if (name !== 'file' && !(isOther && isMapping(name))) data.append(name, value);
  data.append('file', file, input.files[0].name);
  return data;
}

/** Whole lines of the beginning; a gzip is cut anywhere. */
async function beginning(file) {
  if (file.size <= PREVIEW_BYTES) return file;
  const head = file.slice(0, PREVIEW_BYTES);
  const bytes = new Uint8Array(await head.arrayBuffer());
  const end = bytes.lastIndexOf(LF) + 1;
  return (bytes[0] === 0x1f && bytes[1] === 0x8b) || end === 0 ? head : head.slice(0, end);
}

function clearFault() {
  document.getElementById('fault')?.remove();
}

/** A problem document, above the form. */
function showFault({
  title = 'The service did not answer',
  detail = 'Look at the connection, then try again.',
  advice = '',
  errors = [],
  needs = '',
}) {
  clearFault();
  const fault = document.createElement('div');
  Object.assign(fault, { id: 'fault', className: 'notice', tabIndex: -1 });
  fault.setAttribute('role', 'alert');
  const strong = Object.assign(document.createElement('strong'), { textContent: `${title}.` });
  const faults = errors.map(({ pointer, detail: what }) => `${pointer.replace(/^\/\w+\//, '')} ${what}.`).join(' ');
  const words = document.createElement('p');
  const column = place.querySelector(`[name="map.${needs.split(' ')[0]}"]`); // it is on the page, and is led to
  words.append(strong, ` ${[detail, faults, column ? '' : advice].filter(Boolean).join(' ')}`);
  fault.append(words);
  form.before(fault);
  if (column) column.closest('details').open = true;
  (column ?? fault).focus();
  say('');
}

/** The step that comes next stands out. */
function lead(button) {
  for (const one of [look, start]) one.classList.toggle('second', one !== button);
}

let asked = 0;

/** @param answersOnly a choice was changed: the fields stay where they are, and keep the focus */
async function preview({ answersOnly = false, focus = false } = {}) {
  const [file] = input.files;
  if (!file) return;
  const mine = ++asked;
  clearFault();
  say(`Reading ${file.name} …`);
  try {
    const body = formData(await beginning(file));
    const answer = await fetch(look.formAction, { method: 'POST', body });
    const text = await answer.text();
    if (mine !== asked) return; // another file or mapping was chosen meanwhile
    if (!answer.ok) {
      if (isOther) place.replaceChildren();
      lead(isOther ? look : start);
      return showFault(problemOf(text));
    }
    const part = new DOMParser().parseFromString(text, 'text/html').body;
    const answers = answersOnly && place.querySelector('[data-part]');
    if (answers) answers.replaceWith(part.querySelector('[data-part]'));
    else place.replaceChildren(...part.childNodes);
    isOther = false;
    lead(place.querySelector('[data-incomplete]') ? look : start);
    const warnings = place.querySelectorAll('.warnings li').length;
    say(
      `This is what ${file.name} is read as${warnings > 0 ? `, with ${warnings} warning${warnings > 1 ? 's' : ''}` : ''}. Nothing is stored yet.`,
    );
    if (focus) document.getElementById('preview-title').focus();
  } catch {
    if (mine === asked) showFault({});
  }
}

function problemOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** With a bar: fetch does not say how much has been sent. */
function send(url, body) {
  const bar = Object.assign(document.createElement('progress'), { max: 1, value: 0 });
  bar.setAttribute('aria-label', 'Sent');
  status.after(bar);
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded, total }) => (bar.value = loaded / total));
  request.upload.addEventListener('load', () => say('The file is there. Making a batch of it …'));
  const sent = new Promise((resolve, reject) => {
    request.addEventListener('load', () => resolve({ ok: request.status === 202, ...problemOf(request.responseText) }));
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, () => reject(new Error(end)));
  });
  request.open('POST', url);
  request.setRequestHeader('accept', 'application/json');
  request.send(body);
  return sent.finally(() => bar.remove());
}

async function begin() {
  const [file] = input.files;
  clearFault();
  start.setAttribute('aria-disabled', 'true');
  say(`Sending ${file.name} …`);
  try {
    const answer = await send(start.formAction, formData(file));
    if (!answer.ok) return showFault(answer);
    say('The batch has begun.');
    location.assign(answer.location);
  } catch {
    showFault({});
  } finally {
    start.removeAttribute('aria-disabled');
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (start.getAttribute('aria-disabled') === 'true') return; // on its way
  if (event.submitter === start) begin();
  else preview({ focus: true });
});

form.addEventListener('change', ({ target }) => {
  renewToken();
  isOther ||= RECOGNISED_BY.includes(target.name);
  preview({ answersOnly: !isOther });
});

for (const name of ['dragenter', 'dragover'])
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
for (const name of ['dragleave', 'drop']) drop.addEventListener(name, () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length === 0) return;
  input.files = event.dataTransfer.files;
  renewToken();
  isOther = true;
  preview();
});

/** Coming back to a page that the browser has kept: the same file may be sent once more. */
window.addEventListener('pageshow', ({ persisted }) => persisted && renewToken());
document.documentElement.classList.add('scripted');
