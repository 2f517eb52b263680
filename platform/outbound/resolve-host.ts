import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import pLimit, { type LimitFunction } from 'p-limit';
import { codeOf } from '../process/error-code.ts';
import { OwnerLimits } from '../process/owner-limits.ts';
import { sharedCalls } from '../process/single-flight.ts';
import { OutboundError } from './outbound-error.ts';

const timeoutMs = 2_000;
const maxAttempts = 2;

/** The name does not exist, or this machine has no name server. */
const unknownToNameServers: ReadonlySet<string | undefined> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ECONNREFUSED',
]);

/** A host and the owner of the URL that names it; see `OutboundRequest`. */
export interface OwnedName {
  readonly host: string;
  readonly owner: string;
}

/**
 * Every address of a host. Queries name servers directly (`nameServers`, by default the system's), because a system lookup
 * blocks one of two shared threads until a slow name server responds. The system resolves only names that name servers do
 * not know: short names and those of the hosts file. Throws `OutboundError`.
 */
export async function resolveHost(
  name: OwnedName,
  nameServers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  const short = !name.host.includes('.');
  const found = short ? [] : await queryNameServers(name.host, nameServers);
  return found.length > 0 ? found : await querySystem(name);
}

/** Empty when the name does not exist. */
async function queryNameServers(
  host: string,
  nameServers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  // A new resolver each time, because the constructor reads the system's settings.
  const resolver = new Resolver({ timeout: timeoutMs, tries: maxAttempts });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const responses = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = responses.flatMap((response, index) =>
    response.status === 'fulfilled'
      ? response.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  const failure = responses.find(
    (response) => response.status === 'rejected' && !unknownToNameServers.has(codeOf(response.reason)),
  );
  if (found.length === 0 && failure?.status === 'rejected') {
    throw new OutboundError('not-resolved', failure.reason);
  }
  return found;
}

/** Max names of one owner that wait for each other, and of all owners that wait for the system. */
const maxWaiting = 100;

/**
 * Limits lookups by the system: one name with a dot and one short name at a time. Each lookup blocks one of two threads,
 * which connections to PostgreSQL need as well, for seconds when a name server does not respond. Customers' name servers
 * decide how long a name with a dot takes. So each owner has at most one such name in the queue of all owners, and its
 * other names wait for that one. Concurrent lookups of the same name share a result. Exported for its test.
 */
export function limitedLookups<Found>(
  find: (host: string) => Promise<Found>,
): (name: OwnedName) => Promise<Found> {
  const limits = { dotted: pLimit(1), short: pLimit(1) };
  const ofAll = sharedCalls<Found>();
  const ofOwner = sharedCalls<Found>();
  const turns = new OwnerLimits(1);
  const inQueue = async (host: string, limit: LimitFunction): Promise<Found> =>
    ofAll(host, async () => {
      if (limit.pendingCount >= maxWaiting) throw new Error('Too many names wait for the system.');
      return limit(find, host);
    });
  const inTurn = async (owner: string, host: string): Promise<Found> => {
    if (turns.callsOf(owner) > maxWaiting) throw new Error('Too many names of one key wait for the system.');
    return turns.run(owner, async () => inQueue(host, limits.dotted));
  };
  return async ({ host, owner }) =>
    host.includes('.')
      ? ofOwner(`${owner} ${host}`, async () => inTurn(owner, host))
      : inQueue(host, limits.short);
}

const lookUp = limitedLookups(async (host) => lookup(host, { all: true }));

async function querySystem(name: OwnedName): Promise<LookupAddress[]> {
  try {
    return await lookUp(name);
  } catch (error) {
    throw new OutboundError('not-resolved', error);
  }
}
