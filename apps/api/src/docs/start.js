'use strict';
/* global SwaggerUIBundle */
/** Starts Swagger UI: on this service's own document, every operation open for a try. */
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#test-page',
});
