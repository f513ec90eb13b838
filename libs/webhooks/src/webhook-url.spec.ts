import { isPublicAddress, WebhookUrlError, checkWebhookUrl } from './webhook-url';

describe('addresses that messages may go to', () => {
  it.each(['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001:82a::200e'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this host', '0.0.0.0'],
    ['this host', '127.0.0.1'],
    ['this host', '127.255.255.254'],
    ['a private network', '10.1.2.3'],
    ['a private network', '172.31.255.255'],
    ['a private network', '192.168.1.1'],
    ['shared address space (CGNAT)', '100.64.0.1'],
    ["a cloud's metadata, link-local", '169.254.169.254'],
    ["a cloud's own services", '168.63.129.16'],
    ['an assignment of the IETF', '192.0.0.170'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.9'],
    ['benchmarks', '198.18.0.1'],
    ['6to4 relay anycast', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['this host', '::'],
    ['this host', '::1'],
    ['IPv4 inside IPv6', '::ffff:127.0.0.1'],
    ['IPv4 inside IPv6', '::ffff:8.8.8.8'],
    ['IPv4 inside IPv6, written in hex', '::ffff:7f00:1'],
    ['IPv4 inside IPv6, translated', '::ffff:0:10.0.0.1'],
    ['IPv4-compatible IPv6 (deprecated)', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a site', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001::ce49:7601'],
    ['link-local', 'fe80::1'],
    ['link-local', 'fe80::1%eth0'],
    ['site-local (deprecated)', 'fec0::1'],
    ['unique local', 'fd00:ec2::254'],
    ['multicast', 'ff02::1'],
    ['discard-only', '100::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['not given out', '4000::1'],
    ['no address', 'example.org'],
  ])('%s is not public: %s', (_why, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

const refusal = (url: string, allowed: readonly string[] = []): string | null => {
  try {
    checkWebhookUrl(url, allowed);
    return null;
  } catch (error) {
    if (error instanceof WebhookUrlError) return error.message;
    throw error;
  }
};

describe('a webhook URL', () => {
  it('is https to a public host, on 443 or a port from 1024', () => {
    for (const url of [
      'https://hooks.example.org/a?b=c',
      'https://hooks.example.org:8443/',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]/x',
    ])
      expect([url, refusal(url)]).toEqual([url, null]);
  });

  it.each([
    ['http://hooks.example.org/', 'https://, unless the operator lists the host in WEBHOOK_ALLOWED_HOSTS'],
    ['ftp://hooks.example.org/', 'absolute URL'],
    ['hooks.example.org', 'absolute URL'],
    ['/hooks', 'absolute URL'],
    ['https://user:secret@hooks.example.org/', 'no user or password'],
    ['https://hooks.example.org:22/', 'port 443'],
    ['https://localhost/', 'public address'],
    ['https://LOCALHOST./', 'public address'],
    ['https://db/', 'public address'],
    ['https://queue.internal/', 'public address'],
    ['https://localhost.localdomain/', 'public address'],
    ['https://hooks.default.svc/', 'public address'],
    ['https://hooks.private./', 'public address'],
    ['https://printer.local/', 'public address'],
    ['https://127.0.0.1/', 'public address'],
    ['https://2130706433/', 'public address'], // 127.0.0.1 as one number
    ['https://0x7f.1/', 'public address'],
    ['https://0177.0.0.1/', 'public address'],
    ['https://[::ffff:169.254.169.254]/', 'public address'],
    [`https://hooks.example.org/${'a'.repeat(2000)}`, '2000 characters'],
  ])('is rejected with a message that does not repeat it: %s', (url, words) => {
    expect(refusal(url)).toContain(words);
    expect(refusal(url)).not.toContain('secret');
  });

  it('may be private and plain http if the operator allows its host', () => {
    expect(refusal('http://10.0.0.7:8080/x', ['10.0.0.7'])).toBeNull();
    expect(refusal('http://hooks:8080/x', ['hooks:8080'])).toBeNull();
    expect(refusal('https://hooks/x', ['hooks:443'])).toBeNull();
    expect(refusal('http://[::1]:8080/x', ['[::1]:8080'])).toBeNull();
    expect(refusal('http://hooks:8081/x', ['hooks:8080'])).toContain('https://');
    expect(refusal('http://hooks.evil.example/x', ['hooks'])).toContain('https://');
  });

  it('is stored in normalized form, without parts that are never sent', () => {
    expect(checkWebhookUrl('HTTPS:\\\\Hooks.Example.ORG:443/a b#c', [])).toBe('https://hooks.example.org/a%20b');
  });
});
