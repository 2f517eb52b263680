import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { lazily } from '../../platform/process/lazily.ts';
import type { Page } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { RequestContext } from '../http/middleware/state.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { OpenApiSource } from '../openapi/shared-document.ts';
import { groupPath, referenceGroup, referenceGroups, referenceIndex } from './reference-content.ts';

/** The page loads resources from its own origin only, and calls operations there. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const javascript = 'text/javascript; charset=utf-8';
const files = [
  { path: '/docs', file: 'reference.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/reference.css', file: 'reference.css', type: 'text/css; charset=utf-8' },
  ...['reference', 'elements', 'operation', 'samples', 'schema', 'search', 'send'].map((name) => ({
    path: `/docs/${name}.js`,
    file: `browser/${name}.js`,
    type: javascript,
  })),
];

/**
 * `GET /docs` and the resources of the page. It loads names and summaries first, then the details per group of
 * operations, so the first load hardly grows with their number. Each resource is rendered at its first request.
 */
export function referencePages(endpoints: readonly Endpoint[], document: OpenApiSource): readonly Page[] {
  const json = (path: string, content: (document: JsonSchema) => unknown): Page =>
    pageOf(path, 'application/json; charset=utf-8', async () =>
      Buffer.from(JSON.stringify(content(await document()))),
    );
  return [
    ...files.map(({ path, file, type }) =>
      pageOf(path, type, async () => readFile(new URL(file, import.meta.url))),
    ),
    json('/docs/index.json', (document) => referenceIndex(endpoints, document)),
    ...referenceGroups(endpoints).map((group) =>
      json(groupPath(group), (document) => referenceGroup(group, document)),
    ),
  ];
}

function pageOf(path: string, type: string, make: () => Promise<Buffer>): Page {
  // All callers share these bytes, so a caller that does not read them costs no memory.
  const content = lazily(async () => contentOf(make));
  return { path, response: async (context) => send(context, await content(), type) };
}

interface Content {
  readonly plain: Buffer;
  readonly compressed: Buffer;
  readonly digest: string;
}

async function contentOf(make: () => Promise<Buffer>): Promise<Content> {
  const plain = await make();
  const digest = createHash('sha256').update(plain).digest('base64url');
  return { plain, compressed: await promisify(gzip)(plain, { level: 9 }), digest };
}

function send(context: RequestContext, { plain, compressed, digest }: Content, type: string): void {
  const zipped = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  context.set({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    ETag: `"${digest}${zipped ? '-gzip' : ''}"`,
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  });
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  context.type = type;
  if (zipped) context.set('Content-Encoding', 'gzip');
  context.body = zipped ? compressed : plain;
}
