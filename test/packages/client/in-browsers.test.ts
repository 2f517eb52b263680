import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { createContext, SourceTextModule } from 'node:vm';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { createClient } from '../../../packages/client/source/steward.ts';
import { startTestApi } from '../../support/api.ts';
import { aTenant } from '../../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

/** The globals of a page that the client may use. `fetch` resolves URLs against the page's origin. */
const page = createContext({
  setTimeout,
  clearTimeout,
  AbortController,
  crypto,
  performance,
  navigator: { userAgent: 'Mozilla/5.0' },
  fetch: (path: string, init: RequestInit) =>
    fetch(new URL(path, api.url), {
      ...init,
      headers: { origin: api.url, ...(init.headers as Record<string, string>) },
    }),
});

const modules = new Map<string, SourceTextModule>();

/** Loads a module like a browser, without types: it may import only its own files by relative paths. */
async function load(url: URL): Promise<SourceTextModule> {
  const known = modules.get(url.href);
  if (known !== undefined) return known;
  const source = stripTypeScriptTypes(await readFile(url, 'utf8'));
  const made = new SourceTextModule(source, { context: page, identifier: url.href });
  modules.set(url.href, made);
  return made;
}

const folder = new URL('../../../packages/client/source/', import.meta.url);

describe('the typed client in a browser', () => {
  it('needs only its own files and fetch, on a page of the service’s origin', async () => {
    const entry = await load(new URL('steward.ts', folder));
    await entry.link((specifier, from) => load(new URL(specifier, from.identifier)));
    await entry.evaluate();
    expect([...modules.keys()].every((address) => address.startsWith(folder.href))).toBe(true);
    const { createClient: create } = entry.namespace as { createClient: typeof createClient };
    const { apiKey, authToken } = await aTenant(api, { allowedDomains: ['elsewhere.example.com'] });
    const client = create({ apiKey, authToken });
    await client.organizations.add({ organizations: [{ organizationId: 'acme' }] });
    const { data } = await client.organizations.get();
    expect(data.map(({ id }) => id)).toEqual(['acme']);
  });
});
