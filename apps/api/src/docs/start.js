'use strict';
/* global SwaggerUIBundle */
/** Starts Swagger UI on this service's own document, every operation open for a try. */
(() => {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();

  /** The id that examples show, and that of the batch which this page sent last: the one stands for the other. */
  let shown;
  let sent;

  const exampleId = (spec) =>
    spec.paths['/enrich/v1/batches/{id}'].get.parameters.find((one) => one.in === 'path').example;

  /** Each fault is the same problem document: drawn once, an operation unfolds in half the time. */
  const drawFaultOnce = ({ responses }) => {
    for (const [status, answer] of Object.entries(responses)) if (Number(status) > 400) delete answer.content;
  };

  /** A page would be shown as its source: where JSON is to be had, too, the example asks for that. */
  const askForJson = ({ parameters, responses }) => {
    const [type] = Object.keys(responses[200]?.content ?? {});
    const format = parameters.find(({ name }) => name === 'format');
    if (type === 'text/html' && format) format.example = 'json';
  };

  const readable = (spec) => {
    for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
      drawFaultOnce(operation);
      askForJson(operation);
    }
    return JSON.stringify(spec);
  };

  const remember = (response) => {
    if (response.url.endsWith('/openapi.json')) {
      shown = exampleId(response.body);
      response.text = readable(response.body);
    }
    if (response.status === 202 && response.body && response.body.id) sent = response.body.id;
    return response;
  };

  /** Who has signed in needs no key here. The token is ours, so it is in no command that the page shows to be copied. */
  const { csrf } = document.getElementById('test-page').dataset;
  const signedIn = (url, { headers, ...rest }) =>
    fetch(url, { ...rest, headers: { ...headers, 'X-CSRF-Token': csrf } });

  const insert = (request) => {
    if (sent && shown) request.url = request.url.replace(shown, sent);
    if (csrf) request.userFetch = signedIn;
    return request;
  };

  const label = (element, words) => {
    if (!element.labels?.length && !element.hasAttribute('aria-label')) element.setAttribute('aria-label', words);
  };
  const operationOf = (element) => element.closest('.opblock')?.querySelector('[data-path]')?.dataset.path ?? '';

  let begun;
  /** Each field for a key asks for the focus, and the last one gets it; the first is the one that is preferred. */
  const beginAtFirst = (dialog) => {
    if (dialog && dialog !== begun) dialog.querySelector('input')?.focus();
    begun = dialog;
  };

  /** What Swagger UI leaves unsaid to a screen reader or out of reach of a keyboard. */
  const mend = (page) => {
    for (const heading of page.querySelectorAll('h3, h4, h5'))
      // none is left out on the way down from the title
      heading.setAttribute('aria-level', String(Number(heading.tagName[1]) - 1));
    const about = page.querySelector('.information-container');
    about?.setAttribute('role', 'region');
    about?.setAttribute('aria-label', 'About this service');
    for (const field of page.querySelectorAll('tr[data-param-name] :is(input, select, textarea)'))
      label(field, field.closest('tr').dataset.paramName);
    for (const body of page.querySelectorAll('.opblock-section-request-body :is(textarea, select)'))
      label(body, body.tagName === 'SELECT' ? 'Content type of the body' : 'Body');
    for (const type of page.querySelectorAll('.responses-wrapper select')) label(type, 'Content type of the answer');
    for (const table of page.querySelectorAll('[role="region"].responses-table'))
      label(table, `Answers of ${operationOf(table)}`);
    for (const example of page.querySelectorAll('pre.microlight')) example.tabIndex = 0;
    beginAtFirst(page.querySelector('.modal-ux'));
  };
  const page = document.getElementById('test-page');
  new MutationObserver(() => mend(page)).observe(page, { childList: true, subtree: true });

  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#test-page',
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    syntaxHighlight: { theme: 'tomorrow-night' }, // its numbers can be read on a dark ground
    persistAuthorization: false, // a key stays in no browser
    validatorUrl: null, // nobody else is asked
    responseInterceptor: remember,
    requestInterceptor: insert,
  });
})();
