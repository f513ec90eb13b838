/*
 * The upload page: previews the beginning of a file as soon as it is chosen, and uploads it with a progress bar. The form
 * works without this script, too.
 */
const PREVIEW_BYTES = 256 * 1024;
const LF = 10;
/** A change of these fields resets the column mapping. */
const DETECTED_BY = ['file', 'type', 'format', 'sheet'];

const form = document.getElementById('upload');
const input = document.getElementById('file');
const drop = document.getElementById('drop');
const target = document.getElementById('preview');
const status = document.getElementById('status');
const [look, start] = [document.getElementById('look'), document.getElementById('start')];

const announce = (text) => (status.textContent = text);
const isMapping = (name) => name.startsWith('map.');

/** Renews the token when choices change: only an identical form that is sent twice makes one batch. */
function renewToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  form.elements.token.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** True if the mapping belongs to another file or format and must be detected again. */
let isStale = false;

/** Fields first, then the file, as the service requires. */
function formData(file) {
  const data = new FormData();
  for (const [name, value] of new FormData(form))
    if (name !== 'file' && !(isStale && isMapping(name))) data.append(name, value);
  data.append('file', file, input.files[0].name);
  return data;
}

const startsWith = (bytes, ...others) => others.some((start) => start.every((byte, at) => bytes[at] === byte));
const ZIP = [0x50, 0x4b];
const GZIP = [0x1f, 0x8b];
const UTF_16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** The beginning of a file up to a line end. Gzip and UTF-16 are cut at any byte; a workbook is sent as a whole. */
async function beginning(file) {
  if (file.size <= PREVIEW_BYTES) return file;
  const head = file.slice(0, PREVIEW_BYTES);
  const bytes = new Uint8Array(await head.arrayBuffer());
  if (startsWith(bytes, ZIP)) return file;
  const end = bytes.lastIndexOf(LF) + 1;
  return startsWith(bytes, GZIP, ...UTF_16) || end === 0 ? head : head.slice(0, end);
}

/** Column mappings, stored in this browser by the column names of the file. */
const STORE = 'donorlens.mappings';
const MAX_MAPPINGS = 50;

function storedMappings() {
  try {
    return new Map(JSON.parse(localStorage.getItem(STORE) ?? '[]'));
  } catch {
    return new Map(); // storage is disabled, or its content is invalid
  }
}

const mappingFields = () => [...target.querySelectorAll('select[name^="map."]')];

/** Batch type and column names as the key of a mapping; undefined if the page has no mapping. */
function mappingKey() {
  const [first] = mappingFields();
  return first && JSON.stringify([form.elements.type.value, ...Array.from(first.options, ({ value }) => value)]);
}

function rememberMapping() {
  const key = mappingKey();
  if (key === undefined) return;
  const mappings = storedMappings();
  mappings.delete(key);
  mappings.set(key, Object.fromEntries(mappingFields().map(({ name, value }) => [name, value])));
  try {
    localStorage.setItem(STORE, JSON.stringify([...mappings].slice(-MAX_MAPPINGS)));
  } catch {
    // storage is disabled or full, so the mapping is not stored
  }
}

/** Chooses the columns as for the last file with the same header. @returns true if that changes the preview */
function recallMapping() {
  const mapping = storedMappings().get(mappingKey());
  if (mapping === undefined) return false;
  const changed = mappingFields().filter(({ name, value }) => name in mapping && mapping[name] !== value);
  for (const field of changed) field.value = mapping[field.name];
  return changed.length > 0;
}

function clearFault() {
  document.getElementById('fault')?.remove();
}

/** Label of a field of the form; the name of any other field. */
function fieldLabel(pointer) {
  const name = pointer.replace(/^\/\w+\//, '');
  return form.elements.namedItem(name)?.labels?.[0].firstChild.textContent.trim() ?? name;
}

/** Shows a problem document above the form. */
function showFault({
  title = 'The service did not respond',
  detail = 'Check the connection and try again.',
  advice = '',
  errors = [],
  needs = '',
}) {
  clearFault();
  const fault = document.createElement('div');
  Object.assign(fault, { id: 'fault', className: 'notice', tabIndex: -1 });
  fault.setAttribute('role', 'alert');
  const strong = Object.assign(document.createElement('strong'), { textContent: `${title}.` });
  const faults = errors.map(({ pointer, detail: what }) => `${fieldLabel(pointer)} ${what}.`).join(' ');
  const paragraph = document.createElement('p');
  const column = target.querySelector(`[name="map.${needs.split(' ')[0]}"]`); // gets the focus, if on the page
  paragraph.append(
    strong,
    ` ${[errors.length === 1 ? '' : detail, faults, column ? '' : advice].filter(Boolean).join(' ')}`,
  );
  fault.append(paragraph);
  form.before(fault);
  if (column) column.closest('details').open = true;
  (column ?? fault).focus();
  announce('');
}

/** Emphasizes the button of the next step. */
function emphasize(button) {
  for (const one of [look, start]) one.classList.toggle('second', one !== button);
}

let requests = 0;

/** @param resultsOnly - replace only the results, so that the fields keep the focus */
async function preview({ resultsOnly = false, focus = false } = {}) {
  const [file] = input.files;
  if (!file) return;
  const mine = ++requests;
  clearFault();
  announce(`Reading ${file.name} …`);
  try {
    const body = formData(await beginning(file));
    const answer = await fetch(look.formAction, { method: 'POST', body });
    const text = await answer.text();
    if (mine !== requests) return; // another file or mapping has been chosen
    if (!answer.ok) {
      if (isStale) target.replaceChildren();
      emphasize(isStale ? look : start);
      return showFault(problemOf(text));
    }
    const part = new DOMParser().parseFromString(text, 'text/html').body;
    const results = resultsOnly && target.querySelector('[data-part]');
    const isNew = isStale || target.childElementCount === 0;
    if (results) results.replaceWith(part.querySelector('[data-part]'));
    else target.replaceChildren(...part.childNodes);
    isStale = false;
    if (isNew && recallMapping()) return await preview({ resultsOnly: true, focus });
    emphasize(target.querySelector('[data-incomplete]') ? look : start);
    const warnings = target.querySelectorAll('.warnings li').length;
    announce(`Preview of ${file.name}${warnings > 0 ? ` with ${warnings} warning${warnings > 1 ? 's' : ''}` : ''}.`);
    if (focus) document.getElementById('preview-title').focus();
  } catch {
    if (mine === requests) showFault({});
  }
}

function problemOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Uses XMLHttpRequest, because fetch has no upload progress. */
function send(url, body) {
  const bar = Object.assign(document.createElement('progress'), { max: 1, value: 0 });
  bar.setAttribute('aria-label', 'Uploaded');
  status.after(bar);
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded, total }) => (bar.value = loaded / total));
  request.upload.addEventListener('load', () => announce('Upload complete. Creating the batch …'));
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
  announce(`Uploading ${file.name} …`);
  try {
    const answer = await send(start.formAction, formData(file));
    if (!answer.ok) return showFault(answer);
    announce('Batch started.');
    location.assign(answer.location);
  } catch {
    showFault({});
  } finally {
    start.removeAttribute('aria-disabled');
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (start.getAttribute('aria-disabled') === 'true') return; // already uploading
  if (event.submitter === start) begin();
  else preview({ focus: true });
});

form.addEventListener('change', ({ target }) => {
  renewToken();
  if (target.name === 'file' && requests > 0) form.elements.sheet.value = ''; // the sheet of another file
  isStale ||= DETECTED_BY.includes(target.name);
  if (isMapping(target.name)) rememberMapping();
  preview({ resultsOnly: !isStale });
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
  input.dispatchEvent(new Event('change', { bubbles: true }));
});

/** If the page comes from the back/forward cache, the user may upload the same file again. */
window.addEventListener('pageshow', ({ persisted }) => persisted && renewToken());
document.documentElement.classList.add('scripted');
