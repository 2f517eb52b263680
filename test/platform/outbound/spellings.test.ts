import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openOutbound, type Outbound } from '../../../platform/outbound/outbound-connections.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { aReceiver, type Receiver } from './receiver.ts';

/* A receiver at every address of this machine, which gets every request that passes the guard. */
let receiver: Receiver;
let outbound: Outbound;
beforeAll(async () => {
  receiver = await aReceiver();
  outbound = openOutbound({ allowedNetworks: [] });
});
afterEach(() => expect(receiver.connections).toBe(0));
afterAll(async () => {
  await outbound.close();
  await receiver.close();
});

/** `~` stands for the receiver's port. */
async function reasonOf(url: string): Promise<string> {
  const request = {
    owner: 'owner',
    headers: {},
    body: '',
    timeoutMs: 50_000,
    maxResponseBytes: 100,
  } as const;
  const error: unknown = await outbound
    .send('one', { ...request, url: url.replace('~', receiver.port) })
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  return error instanceof OutboundError ? error.reason : String(error);
}

/** Each spelling leads to this machine or its network. */
const hosts: Readonly<Record<string, readonly string[]>> = {
  'as it is': ['127.0.0.1', '127.255.255.254', '0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1'],
  'in decimal': ['2130706433', '2852039166', '3232235777', '0', '4294967295'],
  'in octal': ['0177.0.0.1', '017700000001', '0300.0250.0.1', '0251.0376.0251.0376', '127.000.000.001'],
  'in hexadecimal': ['0x7f000001', '0x7f.0.0.1', '0X7F.0X0.0X0.0X1', '0xA9FEA9FE', '0xc0.0xa8.0.1'],
  'in part': ['127.1', '127.0.1', '10.1', '192.168.257', '169.254.43518', '0x7f.1', '0177.0.0x1'],
  'with a dot at its end': ['127.0.0.1.', '2130706433.', '0x7f.1.', 'localhost.'],
  'in other digits': ['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1', '127｡1'],
  'percent-encoded': ['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%30', '%6c%6f%63alhost'],
  'by the name of this machine': [
    'localhost',
    'LOCALHOST',
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'local\u00ADhost',
    'lo\ncal\thost',
  ],
  'of a private network': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.0.1',
  ],
  'of metadata': ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]'],
  'of documentation and benchmarks': [
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '198.18.0.1',
    '[2001:db8::1]',
    '[3fff::1]',
  ],
  'in IPv6': [
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[fc00::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  mapped: [
    '[::ffff:127.0.0.1]',
    '[::FFFF:7F00:1]',
    '[0:0:0:0:0:ffff:a00:1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:8.8.8.8]',
  ],
  compatible: ['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]'],
  translated: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
  tunnelled: ['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::]', '192.88.99.1'],
};

/** URLs that a naive parser misreads. */
const addresses = [
  'HTTP://127.0.0.1:~/',
  'http:127.0.0.1:~/',
  'http:/127.0.0.1:~/',
  'http:////127.0.0.1:~/',
  'http:\\\\127.0.0.1:~\\',
  ' http://127.0.0.1:~/ ',
  'http://127.0.0.1:~\\@example.com/',
  'http://127.0.0.1:~/@example.com',
  'http://127.0.0.1:~?@example.com',
  'http://127.0.0.1:0~/',
  'http://@127.0.0.1:~/',
  'https://127.0.0.1:~/',
];

const refused: Readonly<Record<string, readonly string[]>> = {
  'that names a user': [
    'http://user@127.0.0.1:~/',
    'http://user:password@127.0.0.1:~/',
    'http://:password@127.0.0.1:~/',
    'http://example.com@127.0.0.1:~/',
    'http://example.com%00@127.0.0.1:~/',
  ],
  'with a zone': ['http://[fe80::1%25eth0]:~/', 'http://[fe80::1%eth0]:~/', 'http://[::1%25lo]:~/'],
  'with a port that is none': [
    'http://127.0.0.1:0/',
    'http://127.0.0.1:65536/',
    'http://127.0.0.1:-1/',
    'http://127.0.0.1:80:~/',
    'http://127.0.0.1:http/',
  ],
  'with an empty label': [
    'http://a..example/',
    'http://.example/',
    'http://example../',
    'http://./',
    'http://../',
  ],
  'with a host that is too long': [`http://${'a'.repeat(64)}.example/`, `http://${'a.'.repeat(127)}example/`],
  'without a host': ['http://', 'http://?', 'http://:~/', 'http:', ''],
  'with a host that is none': [
    'http://1.2.3.4.5/',
    'http://256.0.0.1/',
    'http://0x100000000/',
    'http://127.0.0.1%00/',
    'http://127.0.0.1 /',
    'http://127.0.0.1%2f/',
    'http://[127.0.0.1]/',
    'http://[::1/',
    'http://::1/',
    'http://[::g]/',
    'http://[::ffff:127.0.0.1.]/',
    'http://exa<mple/',
  ],
  'of another scheme': [
    'ftp://127.0.0.1:~/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:~/',
    'ws://127.0.0.1:~/',
    'unix:///var/run/docker.sock',
    'data:text/plain,x',
    'javascript:0',
    'blob:http://127.0.0.1:~/',
    'view-source:http://127.0.0.1:~/',
  ],
  'without a scheme': ['//127.0.0.1:~/', '127.0.0.1', 'localhost', '/hook', 'nonsense'],
  'with a fragment': ['http://127.0.0.1:~/#part'],
};

describe('an allowed address', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1.',
    '0x08080808',
    '[2606:4700:4700::1111]',
    'localhost',
    'a.example',
    '10.example',
  ])('or a name is not refused: %s', (host) =>
    expect(outbound.refusesAddressOf(`https://${host}/hook`)).toBe(false),
  );

  it('is in an allowed network', () => {
    const own = openOutbound({ allowedNetworks: ['127.0.0.0/8', 'fd00::/8'] });
    for (const host of ['127.0.0.1', '0x7f000001', '[fd00::1]'])
      expect([host, own.refusesAddressOf(`http://${host}/`)]).toEqual([host, false]);
    expect(own.refusesAddressOf('http://10.0.0.1/')).toBe(true);
  });
});

describe('a refused address is not called in the form', () => {
  it.each(Object.entries(hosts))('%s', async (_how, spellings) => {
    for (const host of spellings)
      expect([host, await reasonOf(`http://${host}:~/`)]).toEqual([host, 'address-refused']);
  });

  it.each(Object.entries(hosts).filter(([how]) => how !== 'by the name of this machine'))(
    '%s, which is refused before any attempt',
    (_how, spellings) => {
      // Names are resolved at each attempt in any spelling.
      for (const host of spellings.filter((spelling) => !/local/.test(decodeURIComponent(spelling))))
        expect([host, outbound.refusesAddressOf(`http://${host}:80/`)]).toEqual([host, true]);
    },
  );

  it.each(addresses)('as %j', async (url) => expect(await reasonOf(url)).toBe('address-refused'));
});

describe('a URL is rejected', () => {
  it.each(Object.entries(refused))('%s', async (_what, urls) => {
    for (const url of urls) expect([url, await reasonOf(url)]).toEqual([url, 'url-refused']);
  });

  it('that is not https, when only https is allowed', async () => {
    const strict = openOutbound({ allowedNetworks: ['0.0.0.0/0'], httpsOnly: true });
    const request = {
      owner: 'owner',
      headers: {},
      body: '',
      timeoutMs: 50_000,
      maxResponseBytes: 100,
    } as const;
    const url = `http://127.0.0.1:${receiver.port}/`;
    await expect(strict.send('one', { ...request, url })).rejects.toMatchObject({ reason: 'https-required' });
    await strict.close();
  });
});
