import { join, relative } from 'node:path';
import type { DemoFile } from '../platform/local/demo-file.ts';

/** What a started Steward says of itself: addresses, where the credentials are, and one call to paste. */
export function greeting(demo: DemoFile, dataDirectory: string, tookMs: number): string {
  const { baseUrl, temporalUiUrl, temporalAddress } = demo;
  const file = join(dataDirectory, 'demo.json');
  const shown = relative(process.cwd(), file);
  return [
    '',
    `Steward is ready (${(tookMs / 1000).toFixed(1)} s).`,
    '',
    `  API          ${baseUrl}`,
    `  Reference    ${baseUrl}/docs`,
    `  Temporal UI  ${temporalUiUrl ?? `that of the Temporal at ${temporalAddress}`}`,
    `  Credentials  ${shown.startsWith('..') ? file : shown}`,
    '',
    'Paste this into another terminal:',
    '',
    `  curl -s ${baseUrl}/v2/organizations/get \\`,
    `    -H 'content-type: application/json' \\`,
    `    -H 'x-svc-api-key: ${demo.apiKey}' \\`,
    `    -H 'x-svc-auth-token: ${demo.authToken}' \\`,
    `    -d '{"data": {}}'`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
