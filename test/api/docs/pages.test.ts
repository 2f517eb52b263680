import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { referencePages } from '../../../api/docs/page.ts';
import { openApiSource } from '../../../api/openapi/shared-document.ts';
import { referenceIndex } from '../../../api/docs/reference-content.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { startTestApi } from '../../support/api.ts';
import { aClient } from '../../support/client.ts';

const api = await startTestApi();
afterAll(api.close);

const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(api.url + path, { headers });

interface Index {
  readonly groups: readonly {
    readonly details: string;
    readonly operations: readonly {
      readonly id: string;
      readonly path: string;
      readonly aliases: readonly { readonly path: string }[];
    }[];
  }[];
}

interface Group {
  readonly operations: Readonly<Record<string, unknown>>;
  readonly schemas: Readonly<Record<string, unknown>>;
}

const index = async () => (await (await read('/docs/index.json')).json()) as Index;

/** Files that the browser loads before it renders the page. */
const firstFiles = referencePages(endpoints, openApiSource(endpoints))
  .map(({ path }) => path)
  .filter((path) => !path.startsWith('/docs/groups/'));

describe('GET /docs', () => {
  it('loads from its own origin only', async () => {
    const page = await read('/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; /,
    );
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, file = '']) => file);
    expect(files.filter((file) => !file.startsWith('/'))).toEqual([]);
    for (const file of files) expect([file, (await read(file)).status]).toEqual([file, 200]);
    expect(html).not.toMatch(/<style|style=|<script>|\son\w+=/);
  });

  it('never renders content as markup', async () => {
    const scripts = firstFiles.filter((path) => path.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(3);
    for (const path of scripts) {
      const script = await (await read(path)).text();
      expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?:\/\//);
    }
  });

  it('stores nothing in the browser', async () => {
    for (const path of firstFiles) {
      const script = await (await read(path)).text();
      expect(script).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie|caches\./);
    }
  });

  it('lists every path once, with details whose schemas all exist', async () => {
    const { groups } = await index();
    const named = groups.flatMap(({ operations }) => operations);
    const paths = named.flatMap(({ path, aliases }) => [path, ...aliases.map((alias) => alias.path)]);
    expect(paths.toSorted()).toEqual(endpoints.flatMap(({ paths }): readonly string[] => paths).toSorted());
    for (const { details, operations } of groups) {
      const group = (await (await read(details)).json()) as Group;
      expect(Object.keys(group.operations)).toEqual(operations.map(({ id }) => id));
      const refs = [...JSON.stringify(group).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
      const missing = refs.map(([, name = '']) => name).filter((name) => !(name in group.schemas));
      expect(missing).toEqual([]);
    }
  });

  it('loads at most 300 kB until it shows all names, even with ten times the operations', async () => {
    const sizes = await Promise.all(
      firstFiles.map(async (path) => {
        const response = await read(path, { 'accept-encoding': 'identity' });
        return gzipSync(await response.text()).length;
      }),
    );
    const sum = sizes.reduce((one, other) => one + other, 0);
    const copies = Array.from({ length: 9 }, (_, copy) =>
      endpoints.map((endpoint) => ({
        ...endpoint,
        paths: endpoint.paths.map((path) => `${path}/copy${String(copy)}`) as [string, ...string[]],
      })),
    );
    const tenfold = referenceIndex([...endpoints, ...copies.flat()], openApiDocument(endpoints, '1.2.3'));
    expect(sum + gzipSync(JSON.stringify(tenfold)).length).toBeLessThan(300_000);
  });
});

describe.each(['/docs', '/docs/index.json', '/openapi.json', '/llms.txt', '/llms-full.txt'])(
  'GET %s',
  (path) => {
    it('is compressed for clients that accept gzip, and returns 304 for its ETag', async () => {
      const plain = await read(path, { 'accept-encoding': 'identity' });
      const zipped = await read(path, { 'accept-encoding': 'gzip' });
      expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([
        null,
        'gzip',
      ]);
      expect([plain.headers.get('vary'), zipped.headers.get('vary')]).toEqual([
        'Accept-Encoding',
        'Accept-Encoding',
      ]);
      expect(await zipped.text()).toBe(await plain.text());
      for (const { headers } of [plain, zipped]) {
        const encoding = headers.get('content-encoding') ?? 'identity';
        const etag = headers.get('etag') ?? '';
        const again = await aClient(api.url).call(path, undefined, {
          method: 'GET',
          headers: { 'accept-encoding': encoding, 'if-none-match': etag },
        });
        expect(again.status).toBe(304);
      }
    });
  },
);
