import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type * as client from '../../../packages/client/source/steward.ts';
import { startTestApi } from '../../support/api.ts';
import { startTestBrowser } from '../../support/browser.ts';
import { aTenant } from '../../support/factories.ts';
import { scratchProject } from './packed-client.ts';

const [api, browser, project] = await Promise.all([startTestApi(), startTestBrowser(), scratchProject()]);
const dist = join(project.folder, 'node_modules/@steward/client/dist');

/** Serves the packed client without a bundler. */
const site = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://site').pathname;
  if (path === '/') {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A product</title>');
    return;
  }
  readFile(join(dist, path)).then(
    (text) => response.setHeader('content-type', 'text/javascript').end(text),
    () => response.writeHead(404).end(),
  );
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  await browser.close();
  site.closeAllConnections();
  site.close();
  await api.close();
  await project.remove();
});

/** Chromium resolves names below `localhost` to this machine. */
const host = 'product.localhost';

/** Runs in the page, which imports the client from its own origin. */
const program = async ([url = '', apiKey = '', authToken = '', jws = '', jwks = '']: readonly string[]) => {
  const entry = '/steward.js';
  const { createClient, receipts, webhooks } = (await import(entry)) as typeof client;
  const steward = createClient({ baseUrl: url, apiKey, authToken });
  const added = await steward.organizations.add({ organizations: [{ organizationId: 'acme' }] });
  const names: string[] = [];
  for await (const { id } of steward.organizations.get()) names.push(id);
  const refusal = (error: unknown): string => (error as Error).name;
  return [
    added.failedCount,
    names,
    await steward.documents.get({ organizationId: 'nowhere' }).catch(refusal),
    (await receipts.verify(jws, { jwks: JSON.parse(jwks) as Parameters<typeof receipts.verify>[1]['jwks'] }))
      .claims.users.length,
    (await steward.receipts.verify(jws, { requestId: 'a-receipt' })).claims.users.length,
    await webhooks.verify('{}', new Headers(), 'whsec_c2VjcmV0').catch(refusal),
  ];
};

browser.describe('the packed client in Chromium', () => {
  it('calls from an allowed page, and verifies receipts and webhooks', async () => {
    const tenant = await aTenant(api, { allowedDomains: [host] });
    const { jobId } = (await tenant.ok<{ jobId: string }>('/v2/users/data/delete', { userIds: ['ada'] }))
      .data;
    await tenant.ok('/v2/jobs/cancel', { jobId });
    const status = await tenant.ok<{ receipt: { jws: string } }>('/v2/users/data/delete/status', { jobId });
    const jwks = await (await fetch(`${api.url}/.well-known/jwks.json`)).text();
    const page: Page = await browser.newPage();
    await page.goto(`http://${host}:${String((site.address() as AddressInfo).port)}/`);
    const { apiKey, authToken } = tenant;
    await expect(
      page.evaluate(program, [api.url, apiKey, authToken, status.data.receipt.jws, jwks]),
    ).resolves.toEqual([0, ['acme'], 'NotFoundError', 1, 1, 'WebhookVerificationError']);
  });
});
