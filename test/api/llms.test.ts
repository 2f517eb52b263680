import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';
import { startTestApi } from '../support/api.ts';

const api = await startTestApi();
afterAll(api.close);

const read = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.url}${path}`, { headers });
const overview = await (await read('/llms.txt')).text();
const full = await (await read('/llms-full.txt')).text();

/** The newest path of every operation. */
const paths = endpoints.map(({ paths: all }) => all.at(-1) ?? '');
const isCurrent = (path: string): boolean => path.startsWith('/v2/');

/** The section of an operation in /llms-full.txt. */
const sectionOf = (path: string): string =>
  full.split(/^### /m).find((section) => section.startsWith(`${operationIdOf(path)}\n`)) ?? '';

describe.each(['/llms.txt', '/llms-full.txt'])('GET %s', (path) => {
  it('is text of at most 1 MiB that is revalidated by its ETag', async () => {
    const first = await read(path);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect((await first.bytes()).length).toBeLessThan(1_048_576);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^".{43}-gzip"$/);
    // Without Cache-Control of its own, fetch requests a copy that no cache holds.
    const again = await read(path, { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });
});

describe('/llms.txt', () => {
  it('has the form of llmstxt.org: a title, a quoted summary, and sections of links', () => {
    const [title, summary, ...rest] = overview.split(/\n\n/);
    expect(title).toBe('# Steward');
    expect(summary).toMatch(/^> [^\n]+\.$/);
    const sections = rest.join('\n\n').split(/^## /m).slice(1);
    expect(sections.length).toBeGreaterThan(10);
    for (const section of sections)
      expect(section).toMatch(/^[^\n]+\n\n(?:- \[[^\]\n]+\]\(\/[^)\s]+\): [^\n]+\n)+\n?$/);
  });

  it('links every operation once by its id, and those of /v1 under Optional', () => {
    const linked = (text: string) =>
      [...text.matchAll(/^- \[([^\]]+)\]\(\/docs#\1\)/gm)].map(([, id = '']) => id).sort();
    const [current = '', optional = ''] = overview.split('## Optional');
    const ids = (some: readonly string[]) => some.map(operationIdOf).sort();
    expect(linked(current)).toEqual(ids(paths.filter(isCurrent)));
    expect(linked(optional)).toEqual(ids(paths.filter((path) => !isCurrent(path))));
  });

  it('links pages that exist', async () => {
    const links = new Set([...overview.matchAll(/\]\((\/[^)#]+)/g)].map(([, path = '']) => path));
    for (const path of links) expect((await read(path)).status).toBe(200);
  });
});

describe('/llms-full.txt', () => {
  it('has one section for each operation, with its paths, credentials, summary and example', () => {
    for (const { paths: all, summary, example, description = '' } of endpoints) {
      const section = sectionOf(all.at(-1) ?? '');
      const facts = [...all, summary, description, JSON.stringify({ data: example }), 'Credentials: x-svc-'];
      for (const fact of facts) expect(section).toContain(fact);
    }
    expect(full.match(/^### /gm)).toHaveLength(endpoints.length);
  });

  it('lists every member of a request and of a response, with type, limits and description', () => {
    expect(sectionOf('/v2/organizations/folders/get')).toContain(
      '\n  - `maxDepth` (integer of 0 to 64, default 1): Levels of subfolders',
    );
    const { paths: documented } = openApiDocument(endpoints, '0') as {
      paths: Record<string, { post?: unknown }>;
    };
    expect(Object.keys(documented)).toEqual(expect.arrayContaining(paths));
    for (const { paths: all, data } of endpoints) {
      const section = sectionOf(all.at(-1) ?? '');
      const { shape = {} } = data as { shape?: object };
      for (const name of Object.keys(shape)) expect(section).toContain(`\n  - \`${name}\` (`);
    }
  });

  it('lists a recursive schema once', () => {
    const section = sectionOf('/v2/organizations/folders/get');
    expect(section.match(/`subFolders`/g)).toHaveLength(1);
  });

  it('names the rules between members', () => {
    expect(sectionOf('/v2/notifications/config/get')).toContain('- Rule: ');
  });
});
