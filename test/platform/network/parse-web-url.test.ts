import { describe, expect, it } from '@jest/globals';
import { hasLongHost, isReachable, parseWebUrl } from '../../../platform/network/parse-web-url.ts';

const ideographs = (count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => 0x4e_00 + index));

/** 22 Korean syllables, whose letters are 66 characters. */
const decomposed = '각난닫랄맘밥삿앙잦찿캌탙팦핳'.repeat(2).slice(0, 22).normalize('NFD');

/** Emoji of two code units each. */
const emoji = '🦊'.repeat(50);

const longestHost = [...Array<string>(3).fill('a'.repeat(63)), 'b'.repeat(61)].join('.');

const accepted = [
  'https://example.com/a?b#c',
  'HTTP://EXAMPLE.COM',
  'http:example.com',
  'https:\\\\example.com\\a',
  'https:////example.com',
  ' \u0000https://example.com \n',
  'ht\ntp\t:/\r/exa\nmple.com/a\tb',
  'https://u:p@x@example.com:443/@',
  `https://${ideographs(2_000)}@example.com/`,
  `https://example.com/${ideographs(2_000)}`,
  `https://example.com\\${ideographs(2_000)}`,
  `https://example.com?${ideographs(2_000)}`,
  `https://example.com#${ideographs(2_000)}`,
  'https://bücher.example',
  'https://b%C3%BCcher.example%2Ecom/',
  'https://例え。テスト．例｡jp/',
  `https://${'%E4%BE%8B'.repeat(20)}.jp/`,
  `https://${ideographs(20)}.${ideographs(20)}.jp:8443/`,
  `https://${decomposed}.kr`,
  `https://${emoji}.${emoji}.${emoji}.example`,
  `https://${longestHost}./`,
  `https://${new URL(`https://${ideographs(20)}.jp`).hostname}/`,
  'http://[::1]:8080/',
  'http://0x7f.1/',
];

const long = {
  'in a label': ideographs(64),
  'of one label': ideographs(2_000),
  'with a percent sign': `${ideographs(40)}%${ideographs(40)}`,
  'in percent-encoding': encodeURIComponent(ideographs(64)),
  'between user and port': `u:p@${ideographs(64)}:80`,
  'among other dots': `a。${'ü'.repeat(64)}｡b`,
  'of short labels': Array.from({ length: 20 }, () => ideographs(30)).join('.'),
};

describe('a URL', () => {
  it.each(accepted)('is parsed like URL.parse does: %j', (text) => {
    expect(parseWebUrl(text)?.href).toBe(new URL(text).href);
    expect(hasLongHost(text)).toBe(false);
  });

  it.each([
    '',
    'nonsense',
    '//example.com',
    'ftp://example.com',
    'https://',
    'https://%zz/',
    'xhttps://a',
    'mailto:a@b',
  ])('is not accepted: %j', (text) => {
    expect(parseWebUrl(text)).toBeNull();
    expect(hasLongHost(text)).toBe(false);
  });

  it.each(Object.entries(long))('is not accepted with a long host %s', (_where, host) => {
    for (const text of [`https://${host}/`, `\thttp:\\${host}?a`, `ht\ntp:${host.split('').join('\n')}#a`]) {
      expect(parseWebUrl(text)).toBeNull();
      expect(hasLongHost(text)).toBe(true);
    }
  });

  it('is parsed with a long host that is not Unicode', () =>
    expect(parseWebUrl(`https://${'a'.repeat(64)}.example`)?.hostname).toBe(`${'a'.repeat(64)}.example`));

  it.each([
    [longestHost, true],
    [`${longestHost}.`, true],
    [`b${longestHost}`, false],
    [`${'a'.repeat(64)}.example`, false],
    [`${ideographs(20)}.jp`, true],
    [`${ideographs(60)}.jp`, false],
    ['[::1]', true],
    ['127.0.0.1.', true],
    ['a.example:65535', true],
    ['a.example:0', false],
    ['[::1]:0', false],
    ['a..example', false],
    ['.example', false],
    ['a.example..', false],
    ['.', false],
  ])('with the host %s is reachable: %s', (host, expected) =>
    expect(isReachable(new URL(`https://${host}`))).toBe(expected),
  );
});
