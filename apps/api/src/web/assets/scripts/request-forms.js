/* global SwaggerUIBundle */
/** Replaces the list of endpoints by Swagger UI with the OpenAPI document of this service, once a link is followed. */
const page = document.getElementById('request-forms');

/** The example id, which requests replace by the id of the batch that this page created last. */
let exampleBatchId;
let createdBatchId;

const exampleId = (spec) =>
  spec.paths['/enrich/v1/batches/{id}'].get.parameters.find((one) => one.in === 'path').example;

/** All errors have the same schema; without the repetitions an operation renders in half the time. */
const removeErrorSchemas = ({ responses }) => {
  for (const [status, answer] of Object.entries(responses)) if (Number(status) > 400) delete answer.content;
};

/** Swagger UI would show HTML as source, so examples prefer JSON. */
const preferJson = ({ parameters, responses }) => {
  const [type] = Object.keys(responses[200]?.content ?? {});
  const format = parameters.find(({ name }) => name === 'format');
  if (type === 'text/html' && format) format.example = 'json';
};

const prepareSpec = (spec) => {
  for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
    removeErrorSchemas(operation);
    preferJson(operation);
  }
  return JSON.stringify(spec);
};

const onResponse = (response) => {
  if (response.url.endsWith('/openapi.json')) {
    exampleBatchId = exampleId(response.body);
    response.text = prepareSpec(response.body);
  }
  if (response.status === 202 && response.body && response.body.id) createdBatchId = response.body.id;
  return response;
};

/** A session replaces the key. The CSRF token is added here, so that it is not in the commands that the page shows. */
const { csrf } = page.dataset;
const signedIn = (url, { headers, ...rest }) => {
  const { [KEY_HEADER]: key, ...others } = headers;
  const sent = key === KEY_PLACEHOLDER ? others : headers;
  return fetch(url, { ...rest, headers: { ...sent, 'X-CSRF-Token': csrf } });
};

const KEY_HEADER = 'X-API-Key';
const KEY_PLACEHOLDER = 'YOUR_KEY';

/** Shows the key in a header in commands, because URLs end up in logs. With a session it shows a placeholder. */
const moveKeyToHeader = (request) => {
  const url = new URL(request.url, location.origin);
  const inUrl = url.searchParams.get('apiKey') ?? url.searchParams.get('token');
  if (inUrl !== null) {
    url.searchParams.delete('apiKey');
    url.searchParams.delete('token');
    request.url = url.href;
    request.headers[KEY_HEADER] = inUrl;
  } else if (csrf && !request.headers.Authorization) request.headers[KEY_HEADER] ??= KEY_PLACEHOLDER;
};

const onRequest = (request) => {
  if (createdBatchId && exampleBatchId) request.url = request.url.replace(exampleBatchId, createdBatchId);
  if (!request.loadSpec) moveKeyToHeader(request);
  if (csrf) request.userFetch = signedIn;
  return request;
};

const label = (element, text) => {
  if (!element.labels?.length && !element.hasAttribute('aria-label')) element.setAttribute('aria-label', text);
};
const operationOf = (element) => element.closest('.opblock')?.querySelector('[data-path]')?.dataset.path ?? '';

let focusedDialog;
/** Swagger UI focuses the last key field of the dialog; the first one is preferred. */
const focusFirstField = (dialog) => {
  if (dialog && dialog !== focusedDialog) dialog.querySelector('input')?.focus();
  focusedDialog = dialog;
};

/** Adds labels and keyboard access that Swagger UI lacks. */
const fixAccessibility = (page) => {
  for (const heading of page.querySelectorAll('h3, h4, h5'))
    // heading levels must have no gap below the title
    heading.setAttribute('aria-level', String(Number(heading.tagName[1]) - 1));
  const about = page.querySelector('.information-container');
  about?.setAttribute('role', 'region');
  about?.setAttribute('aria-label', 'About this service');
  for (const field of page.querySelectorAll('tr[data-param-name] :is(input, select, textarea)'))
    label(field, field.closest('tr').dataset.paramName);
  // a label has the id of its select, too
  for (const duplicate of page.querySelectorAll('.opblock-section-header > label[id]')) duplicate.removeAttribute('id');
  for (const body of page.querySelectorAll('.opblock-section-request-body :is(textarea, select)'))
    label(body, body.tagName === 'SELECT' ? 'Content type of the body' : 'Body');
  for (const type of page.querySelectorAll('.responses-wrapper select')) label(type, 'Content type of the response');
  for (const table of page.querySelectorAll('[role="region"].responses-table'))
    label(table, `Responses of ${operationOf(table)}`);
  for (const example of page.querySelectorAll('pre.microlight')) example.tabIndex = 0;
  focusFirstField(page.querySelector('.modal-ux'));
};

const followColorScheme = () => {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
};

/** Adds an element to the head. @returns when its file is loaded */
const load = (element) =>
  new Promise((resolve, reject) => {
    document.head.append(Object.assign(element, { onload: resolve, onerror: reject }));
  });

/** Opens the endpoint of the link that was followed. The option deepLinking would put links into buttons. */
const openEndpoint = () => {
  const endpoint = document.getElementById(location.hash.slice(1));
  const button = endpoint?.querySelector('.opblock-summary-control');
  if (!endpoint?.matches('.is-open')) button?.click();
  button?.scrollIntoView();
  button?.focus({ preventScroll: true });
};

const startSwagger = () => {
  new MutationObserver(() => fixAccessibility(page)).observe(page, { childList: true, subtree: true });
  SwaggerUIBundle({
    url: '/openapi.json',
    domNode: page,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    syntaxHighlight: { theme: 'tomorrow-night' }, // enough contrast in dark mode
    persistAuthorization: false, // no key is stored in the browser
    validatorUrl: null, // no external validator
    onComplete: openEndpoint,
    responseInterceptor: onResponse,
    requestInterceptor: onRequest,
  });
};

let progress = 'none';

/** Loads Swagger UI. Its stylesheets apply once all files are there, instead of that of the list. */
const showForms = async () => {
  progress = 'loading';
  const state = page.querySelector('[role=status]');
  state.textContent = 'Loading the forms…';
  state.scrollIntoView({ block: 'nearest' });
  const script = Object.assign(document.createElement('script'), { src: page.dataset.script });
  const styles = page.dataset.styles
    .split(' ')
    .map((href) => Object.assign(document.createElement('link'), { rel: 'stylesheet', href, media: 'not all' }));
  const listStyle = document.querySelector('link[rel=stylesheet]');
  try {
    await Promise.all([script, ...styles].map(load));
  } catch {
    progress = 'none';
    state.textContent = 'The forms could not be loaded. Reload the page.';
    return;
  }
  progress = 'shown';
  listStyle.disabled = true;
  for (const style of styles) style.media = 'all';
  const main = page.parentElement;
  main.replaceWith(...main.childNodes); // Swagger UI has its own main element
  followColorScheme();
  startSwagger();
};

/** Follows links of the list, and the history of the browser between the list and its endpoints. */
const followHash = () => {
  if (!location.hash.startsWith('#operations-')) return progress === 'shown' && location.reload();
  if (progress === 'shown') openEndpoint();
  if (progress === 'none') void showForms();
};
addEventListener('hashchange', followHash);
followHash();
