import { join, relative } from 'node:path';
import type { Configuration } from '../platform/config/configuration.ts';
import { isLoopback } from '../platform/config/read-configuration.ts';
import type { DemoFile } from '../local/demo-file.ts';
import { localUrl } from '../local/readiness.ts';

/** The startup message: addresses, the file with the credentials, and one call to paste. */
export function greeting(
  demo: DemoFile,
  { dataDirectory, host, metricsPort, console: { enabled } }: Configuration,
  { tookMs, signInCode }: { readonly tookMs: number; readonly signInCode: string | undefined },
): string {
  const { baseUrl, temporalUiUrl, temporalAddress } = demo;
  const file = join(dataDirectory, 'demo.json');
  const shown = relative(process.cwd(), file);
  return [
    '',
    `Steward is ready (${(tookMs / 1000).toFixed(1)} s).`,
    '',
    `  API          ${baseUrl}`,
    `  Reference    ${baseUrl}/docs`,
    ...(enabled ? consoleLines(baseUrl, signInCode) : []),
    `  Temporal UI  ${temporalUiUrl ?? `see the Temporal at ${temporalAddress}`}`,
    ...metricsLines(host, metricsPort),
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
    'Documents are open by default: any user may edit them. To close them, see docs/permissions.md.',
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

function metricsLines(host: string, port: number): string[] {
  if (port === 0) return [];
  return [
    `  Metrics      ${localUrl(host, port)}/metrics (API)`,
    `               ${localUrl(host, port + 1)}/metrics (worker)`,
  ];
}

/** A sign-in link works on a loopback address only. */
function consoleLines(baseUrl: string, signInCode: string | undefined): string[] {
  const { hostname } = new URL(baseUrl);
  if (signInCode === undefined || !isLoopback(hostname.replaceAll(/[[\]]/g, '')))
    return [`  Console      ${baseUrl}/console`];
  return [
    `  Console      ${baseUrl}/console#code=${signInCode}`,
    '               (signs in to the demo workspace once, within 10 minutes)',
  ];
}
