import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { maxIdBytes } from '../../../../domain/id-size.ts';
import type { Position } from '../../../../api/http/response/page-reader.ts';
import { Cursors, type CursorScope } from '../../../../api/http/response/cursor.ts';
import { readPosition, writePosition } from '../../../../domain/deletion/export/read-user-data.ts';

const secret = randomBytes(32);
const cursors = new Cursors(secret);
const scope: CursorScope = { owner: 'apiKey/1', path: '/v2/users/get', filters: { organizationId: 'acme' } };

const ids = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 250 });
const positions: fc.Arbitrary<Position> = fc.array(fc.oneof(ids, fc.maxSafeInteger()), {
  minLength: 1,
  maxLength: 4,
});
const scopes: fc.Arbitrary<CursorScope> = fc.record({
  owner: fc.constantFrom('apiKey/1', 'apiKey/2', 'workspace/1'),
  path: fc.constantFrom('/v1/users/get', '/v2/users/get'),
  filters: fc.record({ organizationId: ids }),
});

describe('a page token', () => {
  it('returns its position for its own list only', () => {
    fc.assert(
      fc.property(scopes, scopes, positions, (own, other, position) => {
        const token = cursors.write(own, position);
        expect(cursors.read(own, token)).toEqual(position);
        fc.pre(JSON.stringify(own) !== JSON.stringify(other));
        expect(() => cursors.read(other, token)).toThrow('pageToken is not valid.');
      }),
    );
  });

  it('does not reveal its position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8, maxLength: 250 }), (id) => {
        const bytes = Buffer.from(cursors.write(scope, [id]), 'base64url');
        expect(bytes.includes(Buffer.from(id, 'utf8'))).toBe(false);
      }),
    );
  });

  it('is rejected when one bit is changed', () => {
    const token = Buffer.from(cursors.write(scope, ['user-1', 7]), 'base64url');
    for (let bit = 0; bit < token.length * 8; bit += 1) {
      const changed = Buffer.from(token);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => cursors.read(scope, changed.toString('base64url'), 'cursor')).toThrow(
        'cursor is not valid.',
      );
    }
  });

  it('never reuses a nonce for another position, and is deterministic', () => {
    const tokens = Array.from({ length: 1_000 }, (_, number) => cursors.write(scope, [number]));
    const nonces = tokens.map((token) => Buffer.from(token, 'base64url').subarray(0, 12).toString('hex'));
    expect(new Set(nonces).size).toBe(1_000);
    expect(cursors.write(scope, [5])).toBe(tokens[5]);
  });

  it('has the bytes that release 0.2.0 writes', () => {
    const list = { owner: '7', path: '/v2/jobs/list', filters: { status: 'open' } };
    expect(new Cursors(Buffer.alloc(32, 7)).write(list, ['2026-01-31T00:00:00Z', '42'])).toBe(
      '67Y_AaIE3iqv3PdkYaOMRPn4Zb7-mbyh-A3UDTXkFDXgyFiyCnq4mBf9R1a1NcyQhXlyKcauaLcI',
    );
  });

  it('is rejected by a deployment with another secret', () => {
    const token = cursors.write(scope, ['user-1']);
    expect(() => new Cursors(randomBytes(32)).read(scope, token)).toThrow('pageToken is not valid.');
  });

  it('stays below the length that docs/versioning.md promises, for the longest positions of lists', async () => {
    const page = await readFile(new URL('../../../../docs/versioning.md', import.meta.url), 'utf8');
    const [, promised = ''] =
      /Page tokens, `cursor` and\s+`iterator` included, stay below\s+([\d,]+)\s+characters/.exec(page) ?? [];
    const most = Number(promised.replace(',', ''));
    // JSON escapes quotes and backslashes, each of which is a whole byte of an id.
    const longest = ['"', '\\'].map((sign) => sign.repeat(maxIdBytes));
    const [number, icon] = ['9223372036854775807', '"'.repeat(100)];
    // Two values order each section of an export. Those of reactions are a comment and an icon.
    const sections = Object.keys(readPosition([])).map((name) => [
      name,
      [number, name === 'reactions' ? icon : number],
    ]);
    const positions: Position[] = [
      longest,
      [2, longest[0] ?? '', number],
      writePosition(Object.fromEntries(sections) as Parameters<typeof writePosition>[0]),
    ];
    for (const position of positions) {
      const token = cursors.write(scope, position);
      expect(token.length).toBeGreaterThan(1_000);
      expect(token.length).toBeLessThan(most);
      expect(cursors.read(scope, token)).toEqual(position);
    }
  });
});
