import type { Browser, Request } from 'playwright-core';
import type { Figure } from '../figure.ts';
import type { Bench, Run } from '../run.ts';
import type { Site } from '../site.ts';
import { openPage, openTab, withBrowser } from './browser.ts';
import { ofWorkspace, signIn, type BenchSession } from './session.ts';
import { sizeNames } from './sizes.ts';
import { loadWorld, type ConsoleWorld } from './world.ts';

/** Returns the pages' paths below `/console` by their names in the table. */
function pagesOf({
  key: { keyId },
  organizationId,
  endpointId,
  messageId,
  jobId,
}: ConsoleWorld): Readonly<Record<string, string>> {
  const key = `/keys/${keyId}`;
  const inOrganization = `organizationId=${organizationId}`;
  const document = `${key}/document?${inOrganization}&documentId=document-7`;
  const user = `${key}/user?${inOrganization}&userId=user-7`;
  return {
    Overview: `${key}/overview`,
    Organizations: `${key}/organizations`,
    'Organizations, found': `${key}/organizations?find=organization-7`,
    Organization: `${key}/organization?${inOrganization}`,
    'Organization, found documents': `${key}/organization?${inOrganization}&find=document-7`,
    Document: `${document}&userId=user-7`,
    ...Object.fromEntries(
      ['threads', 'activity', 'data', 'notifications', 'events', 'migration'].map((tab) => [
        `Document, ${tab}`,
        `${document}&tab=${tab}`,
      ]),
    ),
    Users: `${key}/users?${inOrganization}`,
    'Users, found': `${key}/users?prefix=user-7`,
    User: user,
    ...Object.fromEntries(
      ['preferences', 'export', 'deletion'].map((tab) => [`User, ${tab}`, `${user}&tab=${tab}`]),
    ),
    Webhooks: `${key}/webhooks`,
    'Webhooks, event catalog': `${key}/webhooks?tab=event-types`,
    Endpoint: `${key}/endpoint?endpointId=${endpointId}`,
    Message: `${key}/message?endpointId=${endpointId}&messageId=${messageId}`,
    Jobs: `${key}/jobs`,
    Job: `${key}/job?jobId=${jobId}`,
    Notifications: `${key}/notifications?${inOrganization}`,
    'Notifications, explain': `${key}/notifications?tab=explain&${inOrganization}&notificationId=n&userId=user-7`,
    Settings: `${key}/settings?section=notifications`,
    'Settings, domains': `${key}/settings?section=domains`,
    ...pagesOfOperators,
  };
}

const pagesOfOperators = {
  'API keys': '/api-keys',
  'All jobs': '/jobs',
  'Audit log': '/audit-log',
  Sessions: '/open-sessions',
};

interface Opened {
  /** Distinct calls: a refresh repeats the same call. */
  readonly calls: number;
  readonly slowest: { readonly path: string; readonly ms: number };
}

/** Excludes files, and the session, which a tab reads once. */
const isCall = (request: Request): boolean =>
  request.resourceType() === 'fetch' && !request.url().endsWith('/console/session');

async function open(browser: Browser, site: Site, session: BenchSession, path: string): Promise<Opened> {
  const tab = await openTab(browser, site, session);
  const calls = new Set<string>();
  const times: Opened['slowest'][] = [];
  tab.page.on('request', (request) => {
    if (isCall(request)) calls.add(`${request.url()} ${request.postData() ?? ''}`);
  });
  tab.page.on('requestfinished', (request) => {
    if (isCall(request))
      times.push({ path: new URL(request.url()).pathname, ms: request.timing().responseEnd });
  });
  try {
    await openPage(tab, site, path);
    // Wait for queries that start when another one has ended.
    await tab.page.waitForLoadState('networkidle');
    const [slowest = { path: '', ms: 0 }] = times.sort((one, other) => other.ms - one.ms);
    return { calls: calls.size, slowest };
  } finally {
    await tab.close();
  }
}

async function openAll(
  browser: Browser,
  site: Site,
  { run, session, who, pages }: Opening,
): Promise<(Opened & { readonly name: string })[]> {
  const opened: (Opened & { readonly name: string })[] = [];
  for (const [page, path] of Object.entries(pages)) {
    const name = `${page}${who}`;
    const found = await open(browser, site, session, path);
    const { calls, slowest } = found;
    run.show(`${name}: ${String(calls)} calls, the slowest ${slowest.path} in ${slowest.ms.toFixed(0)} ms`);
    opened.push({ name, ...found });
  }
  return opened;
}

interface Opening {
  readonly run: Run;
  readonly session: BenchSession;
  /** The kind of user whose pages they are, for the table. */
  readonly who: string;
  readonly pages: Readonly<Record<string, string>>;
}

/** Opens every page where every list is long. Counts its calls and finds the slowest of them. */
export const countCalls: Bench = async (site, run) => {
  const world = await loadWorld(site, run, sizeNames);
  const byWorkspace = await signIn(site.api, ofWorkspace(site));
  const byOperator = await signIn(site.api, { operatorToken: site.operatorToken });
  return withBrowser(run, async (browser) => {
    const opened = [
      ...(await openAll(browser, site, { run, session: byWorkspace, who: '', pages: pagesOf(world) })),
      ...(await openAll(browser, site, {
        run,
        session: byOperator,
        who: ' of an operator',
        pages: pagesOfOperators,
      })),
    ];
    const figures: Figure[] = opened.map(({ name, calls }) => ({
      name: `calls to open ${name}`,
      unit: 'calls',
      steward: calls,
      target: { of: 'measured', is: 'at most', value: 6 },
    }));
    const [slowest] = opened.sort((one, other) => other.slowest.ms - one.slowest.ms);
    if (slowest !== undefined)
      figures.push({
        name: `slowest call of all pages, ${slowest.slowest.path} of ${slowest.name}`,
        unit: 'ms',
        steward: slowest.slowest.ms,
        target: { of: 'measured', is: 'at most', value: 300 },
      });
    return figures;
  });
};
