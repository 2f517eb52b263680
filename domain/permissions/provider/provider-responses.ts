import { accessRoles, type AccessRole } from '../../tenancy/access-roles.ts';

/** The provider's decision for one user and one resource. */
export interface ProviderResponse {
  readonly hasAccess: boolean;
  /** Null without access. */
  readonly accessRole: AccessRole | null;
  /** Milliseconds since the epoch; undefined when the provider sent none. */
  readonly expiresAt: number | undefined;
}

const maxTimeMs = 8_640_000_000_000_000;

/**
 * Parses the decisions of a body, by `accessCheckKey`; undefined when the body is malformed. Drops malformed and contradictory
 * decisions: a check without a decision is refused.
 */
export function readResponses(text: string): ReadonlyMap<string, ProviderResponse> | undefined {
  const list = listOf(text);
  if (list === undefined) return undefined;
  const responses = new Map<string, ProviderResponse>();
  const contradicted = new Set<string>();
  for (const item of list) {
    const read = readResponse(item);
    if (read === undefined) continue;
    const [key, response] = read;
    const other = responses.get(key);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(response)) contradicted.add(key);
    responses.set(key, response);
  }
  for (const key of contradicted) responses.delete(key);
  return responses;
}

function listOf(text: string): readonly unknown[] | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('data' in body)) return undefined;
    return Array.isArray(body.data) ? (body.data as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function readResponse(item: unknown): [string, ProviderResponse] | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { userId, resourceId, type, organizationId, hasAccess, accessRole, expiresAt } = item as Record<
    string,
    unknown
  >;
  const names = [userId, type, organizationId, resourceId];
  if (!names.every((name) => typeof name === 'string') || typeof hasAccess !== 'boolean') return undefined;
  const role = accessRoles.find((known) => known === (accessRole ?? 'editor'));
  const timed = expiresAt === undefined || expiresAt === null || isTime(expiresAt);
  if (role === undefined || !timed) return undefined;
  return [
    JSON.stringify(names),
    { hasAccess, accessRole: hasAccess ? role : null, expiresAt: isTime(expiresAt) ? expiresAt : undefined },
  ];
}

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxTimeMs;
