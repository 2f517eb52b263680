import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestTenant } from '../support/factories.ts';
import { accessibilityViolations } from './console-page.ts';

/** A tenant with a record of every kind that a page shows. */
export interface Furnished {
  readonly tenant: TestTenant;
  readonly endpointId: string;
  readonly messageId: string;
  readonly jobId: string;
}

export const organizationId = 'acme';
export const documentId = 'plan';
export const userId = 'ada';

/** Paths of pages that a session of a workspace opens, below `/console`. */
export function pathsOf(keyId: string) {
  const key = `/keys/${keyId}`;
  const query = `organizationId=${organizationId}`;
  return {
    overview: `${key}/overview`,
    organizations: `${key}/organizations`,
    organization: `${key}/organization?${query}`,
    document: `${key}/document?${query}&documentId=${documentId}&userId=${userId}`,
    migration: `${key}/document?${query}&documentId=${documentId}&tab=migration`,
    users: `${key}/users?${query}`,
    user: `${key}/user?${query}&userId=${userId}`,
    preferences: `${key}/user?${query}&userId=${userId}&tab=preferences`,
    deletion: `${key}/user?${query}&userId=${userId}&tab=deletion`,
    foundUsers: `${key}/users?prefix=${userId}`,
    foundOrganizations: `${key}/organizations?find=${organizationId}`,
    foundDocuments: `${key}/organization?${query}&find=${documentId}`,
    events: `${key}/document?${query}&documentId=${documentId}&tab=events`,
    explain: `${key}/notifications?tab=explain&${query}&notificationId=moved&userId=${userId}`,
    webhooks: `${key}/webhooks`,
    eventTypes: `${key}/webhooks?tab=event-types`,
    jobs: `${key}/jobs`,
    notifications: `${key}/notifications?${query}`,
    domains: `${key}/settings?section=domains`,
    settings: `${key}/settings?section=notifications`,
    accessSettings: `${key}/settings?section=key`,
    emailSettings: `${key}/settings?section=email`,
    webhookSettings: `${key}/settings?section=webhooks`,
    allJobs: '/jobs',
    apiKeys: `/api-keys?keyId=${keyId}`,
    auditLog: '/audit-log',
    sessions: '/open-sessions',
  } as const;
}

/** Paths of pages about records of `furnished`, below `/console`. */
export function recordPathsOf({ tenant: { keyId }, endpointId, messageId, jobId }: Furnished) {
  const key = `/keys/${keyId}`;
  const document = `${key}/document?organizationId=${organizationId}&documentId=${documentId}`;
  return {
    ...pathsOf(keyId),
    threads: `${document}&tab=threads`,
    activity: `${document}&tab=activity`,
    data: `${document}&tab=data&editorId=notes`,
    notificationsOfDocument: `${document}&tab=notifications`,
    folder: `${key}/organization?organizationId=${organizationId}&folderId=drafts`,
    export: `${key}/user?organizationId=${organizationId}&userId=${userId}&tab=export`,
    endpoint: `${key}/endpoint?endpointId=${endpointId}`,
    message: `${key}/message?endpointId=${endpointId}&messageId=${messageId}`,
    job: `${key}/job?jobId=${jobId}`,
  } as const;
}

/** Paths of pages that differ for operators, or that show operators a key without its content. */
export const operatorPathsOf = ({ tenant: { keyId }, jobId }: Furnished): readonly string[] => [
  '/api-keys',
  '/jobs',
  '/audit-log',
  '/open-sessions',
  `/keys/${keyId}/overview`,
  `/keys/${keyId}/jobs`,
  `/keys/${keyId}/job?jobId=${jobId}`,
];

/** Paths of pages that differ for a session of one API key. */
export const keyPathsOf = ({ tenant: { keyId } }: Furnished): readonly string[] => [
  `/keys/${keyId}/overview`,
  '/open-sessions',
];

/** Opens pages one after the other. Expects each to show its data and break no rule of axe. */
export async function expectAccessible(page: Page, origin: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await openLoaded(page, `${origin}/console${path}`);
    expect([path, ...(await accessibilityViolations(page))]).toEqual([path]);
  }
}

/** Opens a page and waits until it shows its data. */
export async function openLoaded(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('h1').waitFor();
  await page.getByText('Loading …').first().waitFor({ state: 'hidden' });
}
