import { afterAll } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { startTestBrowser } from '../support/browser.ts';
import { buildServedConsole } from '../support/built-console.ts';
import type { TestTenant } from '../support/factories.ts';

/** An API that serves the console, and a browser. Both end with the file. */
export async function consoleScene() {
  const [api, browser] = await Promise.all([startTestApi(), startTestBrowser(), buildServedConsole()]);
  afterAll(async () => {
    await browser.close();
    await api.close();
  });
  return { api, browser };
}

/** The fields of the sign-in of a tenant. */
export const signInsOf = ({ apiKey, authToken, workspace }: TestTenant) => ({
  byKey: { 'API key': apiKey, 'Auth token': authToken },
  byWorkspace: { 'Workspace id': workspace.workspaceId, 'Auth token': workspace.authToken },
});
