import { type Json } from './components';

/** The scope is named in the text of the scheme's requirement, as OpenAPI 3.1 allows for every kind of scheme. */
export const securityOf = (template: string, scope: string): Json[] => [
  ...['bearer', 'apiKeyHeader'].map((scheme) => ({ [scheme]: [scope] })),
  ...(template.startsWith('/enrich') ? [{ apiKey: [scope] }] : []),
  ...(template.startsWith('/data-charts') ? [{ token: [scope] }] : []),
];

const ONE = 'One of the four is enough; two at once are refused.';

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: `Preferred. ${ONE}` },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: `As good. ${ONE}` },
  apiKey: {
    type: 'apiKey',
    in: 'query',
    name: 'apiKey',
    description: `Enrichment endpoints. A key in a URL ends in logs. ${ONE}`,
  },
  token: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: `Data and charts endpoints. A key in a URL ends in logs. ${ONE}`,
  },
};
