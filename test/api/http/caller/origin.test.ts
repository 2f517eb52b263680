import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { originAllowed } from '../../../../api/http/caller/origin.ts';
import { normalizeDomain } from '../../../../domain/workspaces/allowed-domains.ts';

const stored = (sent: string): string => normalizeDomain(sent) ?? 'not a domain';
const allows = (sent: string, origin: string): boolean => originAllowed(origin, [stored(sent)], undefined);

const label = fc.constantFrom('www', 'a', 'sub', 'example', 'xn--bcher-kva', 'co');
const host = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
const scheme = fc.constantFrom('', 'http://', 'https://', 'HTTPS://');
const port = fc.constantFrom('', ':8080', ':8443');

describe('a wildcard domain', () => {
  it.each([
    ['*.sub.example.org', 'https://www.sub.example.org', true],
    ['*.example.org', 'https://www.example.org', true],
    ['*.example.org', 'https://www.www.example.org', true],
    ['https://www.*.example.org/path', 'https://www.example.org', true],
    ['*.sub.example.org', 'https://sub.example.org', false],
    ['*.sub.example.org', 'https://www.example.org', false],
    ['*.example.org', 'https://wwwexample.org', false],
    ['*.example.org:8080', 'https://www.example.org:8080', true],
    ['*.example.org:8080', 'https://www.example.org:8443', false],
  ])('%s with the origin %s: %s', (sent, origin, allowed) => expect(allows(sent, origin)).toBe(allowed));

  it('allows exactly the hosts that end with it, after at least one label of any name', () => {
    fc.assert(
      fc.property(host, host, port, (domain, page, pagePort) => {
        const origin = `https://${page}${pagePort}`;
        expect(allows(`*.${domain}`, origin)).toBe(page.endsWith(`.${domain}`));
      }),
    );
  });
});

describe('a domain without a wildcard', () => {
  it('allows itself with and without www, at every port, and nothing else', () => {
    fc.assert(
      fc.property(host, host, scheme, port, (domain, page, sentScheme, pagePort) => {
        fc.pre(domain !== 'www');
        const bare = (name: string): string => name.replace(/^www\./, '');
        expect(allows(`${sentScheme}${domain}`, `https://${page}${pagePort}`)).toBe(
          bare(page) === bare(domain),
        );
      }),
    );
  });

  it('allows only its port when it has one, also when browsers omit it from the origin', () => {
    expect(allows('https://example.org:443', 'https://example.org')).toBe(true);
    expect(allows('https://example.org:443', 'https://www.example.org')).toBe(true);
    expect(allows('https://example.org:443', 'https://example.org:8443')).toBe(false);
    expect(allows('example.org:8080', 'http://example.org')).toBe(false);
    expect(allows('example.org:80', 'http://example.org')).toBe(true);
    expect(allows('example.org:80', 'http://example.org:8080')).toBe(false);
    expect(allows('example.org:80', 'https://example.org')).toBe(false);
    expect(allows('example.org:080', 'http://example.org:8080')).toBe(false);
  });
});

describe('an allowed domain', () => {
  const longest = [...Array<string>(3).fill('a'.repeat(63)), 'b'.repeat(61)].join('.');

  it.each([
    ['https://www.Example.com/path?q#f', 'example.com'],
    ['localhost', 'localhost'],
    ['http://localhost:3000', 'localhost:3000'],
    ['127.0.0.1:8080', '127.0.0.1:8080'],
    ['http://[::1]:3000', '[::1]:3000'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['my_app.example.com', 'my_app.example.com'],
    [longest, longest],
  ])('may be %s', (sent, normal) => expect(normalizeDomain(sent)).toBe(normal));

  it.each([
    '.com',
    'a..b',
    'example.com.',
    '-a.example.com',
    'a-.example.com',
    '*',
    '*.',
    '*.*.example.com',
    'a.*.example.com',
    '*.127.0.0.1',
    '123',
    '0x7f.1',
    '1.2.3',
    'exam ple.com',
    'exam\nple.com',
    'ex%61mple.com',
    'a!b.example',
    'user@example.com',
    'example.com:99999',
    'example.com:port',
    `${'a'.repeat(64)}.example`,
    `b${longest}`,
    'https://',
    '',
  ])('may not be %j', (sent) => expect(normalizeDomain(sent)).toBeUndefined());
});
