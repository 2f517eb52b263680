import { describe, expect, it } from '@jest/globals';
import { isJsonType } from '../../api/http/request/content-type.ts';
import { ignoredMembers } from '../../api/http/request/ignored-members.ts';
import { memberPath } from '../../api/http/request/issues.ts';
import { scanJson } from '../../api/http/request/scan-json.ts';
import { sanitizeJson } from '../../api/http/request/sanitize-json.ts';
import { originAllowed } from '../../api/http/caller/origin.ts';
import { parseLargeJson } from '../../api/http/request/parse-large-json.ts';
import { validate } from '../../api/http/request/validate.ts';
import { isLargerThan } from '../../platform/json/json-size.ts';
import { isUrl } from '../../api/configuration/members.ts';
import { endpointHealthView } from '../../api/webhooks/endpoint-health.ts';
import { failureOf } from '../../cli/failure.ts';
import { addOrganizations } from '../../api/organizations/add-organizations.ts';
import { withoutQuery } from '../../domain/audit/audited-values.ts';
import { replaceMarks } from '../../domain/comments/replace-users.ts';
import { newlyTagged } from '../../domain/comments/update-comments.ts';
import { rsaPublicKey } from '../../domain/configuration/rsa-public-key.ts';
import { commentWithout } from '../../domain/deletion/stores/comments/scrubbed-bodies.ts';
import { linkOf } from '../../domain/notices/messages/link.ts';
import { namedUsers } from '../../domain/users/named-users.ts';
import { shownText } from '../../domain/users/shown-text.ts';
import { protectedData } from '../../domain/webhooks/delivery/protected-data.ts';
import { normalizeDomain, readDomain } from '../../domain/workspaces/allowed-domains.ts';
import { withoutTrailingSlashes } from '../../platform/config/trailing-slashes.ts';
import { arrayLiteral } from '../../platform/database/array-literal.ts';
import { writeJson } from '../../platform/json/write-json.ts';
import { destinationOf } from '../../platform/outbound/destination.ts';
import { openOutbound } from '../../platform/outbound/outbound-connections.ts';
import { atOnce } from '../../platform/process/in-turns.ts';
import { expectLinear, longest } from './growth.ts';

/* Functions that process input without a regular expression, or with several. */

/** Input of repetitions of `unit` between a head and a tail. */
type Shape = readonly [head: string, unit: string, tail: string];

const filled = ([head, unit, tail]: Shape, length: number): string =>
  `${head}${unit.repeat(Math.ceil((length - head.length - tail.length) / unit.length))}${tail}`;

const texts: readonly Shape[] = [
  ['', 'a', ''],
  ['', ' ', 'x'],
  ['', '/', 'x'],
  ['https://', 'a.', '!'],
  ['https://a/', '..//', ' '],
  ['application/json', ' ', 'x'],
  ['application/json', ';', 'x'],
  ['application/json;charset', ' ', 'x'],
  ['', '"', ''],
  ['', '\\', ''],
  ['', '\\"\n', ''],
  ['-----BEGIN PUBLIC KEY-----', 'a ', '-----END PUBLIC KEY-----'],
  ['', '=', ' '],
  ['', '🦊', '\u0000'],
  ['', '{{a', ''],
  ['', '{', '}}'],
  ['', '{{a}}', '{{'],
  ['', '<b>', '</i>'],
];

const tagged = { userId: 'a' };
const people = {
  userIds: new Set(['a']),
  emails: new Set<string>(),
};

const functionsOfText: Readonly<Record<string, (text: string) => unknown>> = {
  'the type of a body': isJsonType,
  'the path of a member': (text) => memberPath(['a', text, 0, text]),
  'the header of ignored members': (text) => ignoredMembers([memberPath([text])]),
  'the origin of a page': (text) => originAllowed(text, ['example.com', '*.example.com'], 'localhost'),
  'an address of a customer': (text) => isUrl(text, () => true),
  'a domain of a customer': normalizeDomain,
  'a public key': rsaPublicKey,
  'the slashes at the end of an address': withoutTrailingSlashes,
  'marks of replaced users': (text) => replaceMarks(text, new Map([['a', 'other']])),
  'marks of a deleted user': (text) =>
    commentWithout({ from: { userId: 'b' }, commentHtml: text, taggedUserContacts: [tagged] }, people),
  'the message of a failed command': (text) => failureOf(new Error(text)).text,
  'the text of a notification': (text) => shownText(text, [tagged]),
  'a text in a list for PostgreSQL': (text) => arrayLiteral([text]),
};

const outbound = openOutbound({ allowedNetworks: [] });
const ids = { organizationId: 'o', documentId: 'd', notificationId: 'n' };
const health: Parameters<typeof endpointHealthView>[0] = {
  id: '1',
  public_id: 'ep_1',
  key_id: '1',
  kind: 0,
  url: '',
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  paused: false,
  pending: 0,
  oldest_pending: null,
  last_success: null,
  last_failure: null,
};

/** Functions that parse a URL. The parser encodes a host by comparing its distinct characters with each other. */
const functionsOfUrls: Readonly<Record<string, (url: string) => unknown>> = {
  'an address of a customer': (url) => isUrl(url, () => true),
  'a new domain': normalizeDomain,
  'a domain to delete': readDomain,
  'the origin of a page': (url) => originAllowed(url, ['example.com'], 'localhost'),
  'a link in a message': (url) => linkOf(`${url}{documentId}`, ids),
  'an address in the audit log': withoutQuery,
  'the destination of a request': (url) => ignoringRefusals(() => destinationOf(url, false)),
  'the warning about an address': (url) => outbound.refusesAddressOf(url),
  'the health of an endpoint': (url) => endpointHealthView({ ...health, url }),
};

/** The parser refuses longer hosts before it encodes them. */
const maxDistinct = 1_700;
/** One host takes milliseconds. */
const hosts = 32;

const ideographs = (count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => 0x4e_00 + index));

const urls: Readonly<Record<string, (host: string) => string>> = {
  'as they are': (host) => `https://${host}/`,
  'percent-encoded': (host) => `https://${encodeURIComponent(host)}/`,
  'after a user': (host) => `https://u@x:p@${host}/`,
  'before a port': (host) => `https://a.example.${host}:8443/`,
  'after slashes in both directions': (host) => `https:\\/\\${host}\\`,
  'after white space': (host) => ` \thttps://${host}?q`,
  'around white space': (host) => `ht\ntps://${host.slice(0, -1)}\t\r\n${host.slice(-1)}#f`,
};

const bodies: readonly Shape[] = [
  ['["', 'a', '"]'],
  ['["', '\\\\', '"]'],
  ['["', '\\u0041', '"]'],
  ['["', '\\u', '"]'],
  ['[', '9', ']'],
  ['[', '1e', ']'],
  ['[1e', '0', ']'],
  ['[0', ',1234567890123456', ']'],
  ['[0', ',[[{"aaaaaaaaaaaaaaaaaaaa":[]}]]', ']'],
  ['{"a":0', ',"aaaaaaaaaaaaaaaaaaaaa":"b"', '}'],
  ['[', '"', ''],
  ['', ' ', '1'],
  ['[0', ',', ''],
  ['', '}', ''],
  ['', ':', ''],
];

const values: Readonly<Record<string, (length: number) => unknown>> = {
  'a long text': (length) => 'a"'.repeat(length / 2),
  'many texts': (length) => Array.from({ length: length / 32 }, (_, index) => `text ${String(index)}`),
  'many maps': (length) =>
    Array.from({ length: length / 32 }, (_, index) => ({ userId: `u${String(index)}`, x: [index] })),
  'a map with many members': (length) =>
    Object.fromEntries(Array.from({ length: length / 32 }, (_, index) => [`m${String(index)}`, [index]])),
  'maps in maps': (length) =>
    Array.from({ length: length / 1_024 }, () => {
      let inner: unknown = 'a';
      for (let depth = 0; depth < 50; depth += 1) inner = { userId: inner };
      return inner;
    }),
  'a long name above many values': (length) => ({
    ['n'.repeat(length / 2)]: Array.from({ length: length / 64 }, () => '\ud800'),
  }),
  'many mentioned people': (length) => ({
    mentions: Object.fromEntries(
      Array.from({ length: length / 32 }, (_, index) => [`m${String(index)}`, {}]),
    ),
  }),
};

const functionsOfValues: Readonly<Record<string, (value: unknown) => unknown>> = {
  'the size of a value': (value) => isLargerThan(262_144, value),
  'people in free members': (value) => namedUsers(value),
  'data protection': protectedData,
  'the sanitizing of a value': (value) => atOnce(sanitizeJson(value)),
  'the JSON of a value': (value) => atOnce(writeJson(value, () => undefined)),
  'a list for PostgreSQL': (value) => arrayLiteral([value].flat().map(String)),
};

describe('work on input is linear for', () => {
  it.each(Object.entries(functionsOfText))('%s', (_name, run) => {
    for (const shape of texts) {
      expectLinear((length) => {
        const text = filled(shape, length);
        return () => run(text);
      });
    }
  });

  it.each(Object.entries(functionsOfUrls))('%s, whose host has distinct characters', (_name, run) => {
    for (const write of Object.values(urls)) {
      expectLinear((length) => {
        const url = write(ideographs(Math.round((maxDistinct * length) / longest)));
        return () => {
          for (let count = 0; count < hosts; count += 1) run(url);
        };
      });
    }
  });

  it.each(bodies)('the bytes of %s%s…%s', (...shape) => {
    expectLinear((length) => {
      const body = Buffer.from(filled(shape, length));
      return () => ignoringRefusals(() => atOnce(scanJson(body)));
    });
    expectLinear((length) => {
      const body = Buffer.from(filled(shape, length));
      return () => ignoringRefusals(() => atOnce(parseLargeJson(body)));
    });
  });

  it.each(Object.entries(functionsOfValues))('%s', (_name, run) => {
    for (const make of Object.values(values)) {
      expectLinear((length) => {
        const value = make(length);
        return () => run(value);
      });
    }
  });

  it.each(Object.entries(values))('the validation of %s', (_name, make) => {
    for (const location of [
      (value: unknown) => ({ organizations: value }),
      (value: unknown) => ({ organizations: [value] }),
      (value: unknown) => ({ organizations: [{ organizationId: value, name: value }] }),
      (value: unknown) => value,
    ]) {
      for (const passOverUnknown of [false, true]) {
        expectLinear((length) => {
          const input = location(make(length));
          const validationOptions = { passOverUnknown, large: false, mayNameProto: true };
          return () => void validate(addOrganizations.data, input, validationOptions).catch(() => undefined);
        });
      }
    }
  });
});

it('the comparison of tagged users is linear', () => {
  expectLinear((length) => {
    const ids = Array.from({ length: length / 8 }, (_, index) => `u${String(index)}`);
    const tagged = new Set(ids.map((id) => `new ${id}`));
    const before = ids.map((id) => ({ userId: `old ${id}` }));
    return () => newlyTagged({ tagged }, before);
  });
});

function ignoringRefusals(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    expect(error).toBeDefined();
  }
}

it('quadratic work is detected', () => {
  const quadratic = (length: number) => () => {
    const steps = (length / longest) ** 2 * 600_000_000;
    let sum = 0;
    for (let step = 0; step < steps; step += 1) sum = (sum + step) | 0;
    return sum;
  };
  expect(() => expectLinear(quadratic)).toThrow();
});
