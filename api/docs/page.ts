import { readFile } from 'node:fs/promises';
import { cachedPage } from '../cross-resource/cached-page.ts';
import type { Page } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { OpenApiSource } from '../openapi/shared-document.ts';
import { groupPath, referenceGroup, referenceGroups, referenceIndex } from './reference-content.ts';

const headers = {
  // The page loads resources from its own origin only, and calls operations there.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

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
  const pageOf = (path: string, type: string, make: () => Promise<string | Buffer>): Page =>
    cachedPage(path, type, make, headers);
  const json = (path: string, content: (document: JsonSchema) => unknown): Page =>
    pageOf(path, 'application/json; charset=utf-8', async () => JSON.stringify(content(await document())));
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
