import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { resolveWebhookHost, resolvePublicHost } from './resolve';
import { until } from '../../../test/support/until';

const V4 = Buffer.from([93, 184, 215, 14]);
const V6 = Buffer.from('26064700000000000000000000001111', 'hex');
const AAAA = 28;

/** What a name server says to a question about any name: one address of the family that was asked for. */
function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5; // of the name, its type and its class; what follows is optional
  const address = question.readUInt16BE(end - 4) === AAAA ? V6 : V4;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2); // an answer, without a fault
  header.writeUInt16BE(1, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0); // of the name that was asked for
  question.copy(record, 2, end - 4, end);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(address.length, 10);
  return Buffer.concat([header, question.subarray(12, end), record, address]);
}

describe('the host of a webhook', () => {
  let server: Socket;
  let asked: number;
  let isSilent: boolean;
  beforeEach(async () => {
    [asked, isSilent] = [0, false];
    server = createSocket('udp4').on('message', (question, { port, address }) => {
      asked++;
      if (!isSilent) server.send(answerTo(question), port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => server.close());
  const servers = () => [`127.0.0.1:${server.address().port}`];

  it('of a client has all addresses of its name server, of both families', async () => {
    expect(await resolvePublicHost('hooks.example.org', { servers: servers() })).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('of a client is not looked up in the hosts file of the machine', async () => {
    expect(await resolvePublicHost('localhost.', { servers: servers() }).catch(() => [])).not.toContainEqual(
      expect.objectContaining({ address: '127.0.0.1' }),
    );
  });

  it('fails if its name server does not answer', async () => {
    isSilent = true;
    await expect(resolvePublicHost('hooks.example.org', { servers: servers(), maxMs: 100 })).rejects.toMatchObject({
      code: 'ECANCELLED',
    });
    await until('it was asked', () => asked > 0);
  });

  it('that the operator allows is resolved by the system', async () => {
    const twice = await Promise.all([resolveWebhookHost('localhost', true), resolveWebhookHost('localhost', true)]);
    for (const addresses of twice) expect(['127.0.0.1', '::1']).toContain(addresses[0].address);
    await expect(resolveWebhookHost('no such host', true)).rejects.toThrow();
    expect(await resolveWebhookHost('localhost', true)).toEqual(twice[0]);
  });
});
