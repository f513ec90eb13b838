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

  const remember = (response) => {
    if (response.url.endsWith('/openapi.json')) shown = exampleId(response.body);
    if (response.status === 202 && response.body && response.body.id) sent = response.body.id;
    return response;
  };

  const insert = (request) => {
    if (sent && shown) request.url = request.url.replace(shown, sent);
    return request;
  };

  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#test-page',
    deepLinking: true,
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
