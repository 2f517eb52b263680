import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from './console-page.ts';

export const organizationId = 'acme';
export const documentId = 'plan';
export const userId = 'ada';

/** Paths of pages that a session of a workspace opens, below `/console`. */
export function pathsOf(keyId: string) {
  const key = `/keys/${keyId}`;
  const place = `organizationId=${organizationId}`;
  return {
    overview: `${key}/overview`,
    organizations: `${key}/organizations`,
    organization: `${key}/organization?${place}`,
    document: `${key}/document?${place}&documentId=${documentId}&userId=${userId}`,
    migration: `${key}/document?${place}&documentId=${documentId}&tab=migration`,
    users: `${key}/users?${place}`,
    user: `${key}/user?${place}&userId=${userId}`,
    preferences: `${key}/user?${place}&userId=${userId}&tab=preferences`,
    deletion: `${key}/user?${place}&userId=${userId}&tab=deletion`,
    webhooks: `${key}/webhooks`,
    eventTypes: `${key}/webhooks?tab=event-types`,
    jobs: `${key}/jobs`,
    notifications: `${key}/notifications?${place}`,
    domains: `${key}/settings?section=domains`,
    settings: `${key}/settings?section=notifications`,
    apiKeys: `/api-keys?keyId=${keyId}`,
    auditLog: '/audit-log',
    sessions: '/open-sessions',
  } as const;
}

/** Opens pages one after the other; each shows its data and breaks no rule of axe. */
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
