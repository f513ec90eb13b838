import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Fuzzer, reportOf } from './generated-requests';

const PROBLEM = { 'application/problem+json': { schema: { type: 'object' } } };
const DOCUMENT = {
  components: { schemas: {} },
  paths: {
    '/name': {
      get: {
        parameters: [],
        responses: {
          200: { content: { 'application/json': { schema: { type: 'object' } } } },
          400: { content: PROBLEM },
          404: { content: PROBLEM },
          500: { content: PROBLEM },
          503: { content: PROBLEM },
        },
      },
    },
  },
};
const REQUESTS = 5;

describe('requests generated from a document', () => {
  let server: Server;
  const answer = (status: number, type = 'application/json'): RequestListener => {
    const body = type === 'application/json' ? '{}' : JSON.stringify({ status });
    return (_request, response) => response.writeHead(status, { 'content-type': type, 'x-request-id': '1' }).end(body);
  };
  const problem = (status: number): RequestListener => answer(status, 'application/problem+json');

  /** The report on an api that gives these answers first, and documented ones afterwards. */
  async function reportOfApi(...first: readonly RequestListener[]) {
    const pending = [...first];
    server = createServer((request, response) => {
      if (request.url === '/openapi.json') response.end(JSON.stringify(DOCUMENT));
      else (pending.shift() ?? (request.url === '/name' ? answer(200) : problem(404)))(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fuzzer = await Fuzzer.start(url, { forms: false });
    await fuzzer.run(REQUESTS, 1);
    const { rows, notes = [], passed } = reportOf(fuzzer, 0, 1);
    const total = (column: number): number => rows.reduce((sum, row) => sum + Number(row[column]), 0);
    return { failed: total(5), unanswered: total(6), found: notes.slice(1), passed };
  }

  beforeEach(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
  afterEach(async () => {
    jest.restoreAllMocks();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('pass where every answer is as documented', async () => {
    expect(await reportOfApi()).toEqual({ failed: 0, unanswered: 0, found: [], passed: true });
  });

  it.each([500, 503])('report a documented %i with its request, also if it is not reproduced', async (status) => {
    const { failed, found, passed } = await reportOfApi(problem(status));
    expect({ failed, passed }).toEqual({ failed: 1, passed: false });
    expect(found).toEqual([expect.stringMatching(new RegExp(`is a ${status}[^]*curl [^]*Not reproduced`))]);
  });

  it('report a request without a response, even if a repetition succeeds', async () => {
    const { unanswered, found, passed } = await reportOfApi((request) => request.socket.destroy());
    expect({ unanswered, passed }).toEqual({ unanswered: 1, passed: false });
    expect(found).toEqual([expect.stringMatching(/no answer[^]*curl [^]*Not reproduced/)]);
  });

  it('report a lasting fault once, with its first and its smallest request', async () => {
    const { failed, found, passed } = await reportOfApi(...Array.from({ length: 1000 }, () => problem(500)));
    expect(failed).toBeGreaterThanOrEqual(REQUESTS);
    expect(passed).toBe(false);
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(one).toMatch(/curl [^]*Reproduced by:[^]*curl /);
  });
});
