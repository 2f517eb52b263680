import { inNetworks } from '../../../platform/network/networks.ts';
import { guardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';

/** Hosts that no webhook may reach, in several notations, with their addresses. */
const forbiddenTargets = [
  { host: '169.254.169.254', address: '169.254.169.254' },
  { host: '2852039166', address: '169.254.169.254' },
  { host: '0xa9.0376.0xa9fe', address: '169.254.169.254' },
  { host: '[::ffff:169.254.169.254]', address: '169.254.169.254' },
  { host: '[64:ff9b::a9fe:a9fe]', address: '169.254.169.254' },
  { host: '127.0.0.1', address: '127.0.0.1' },
  { host: '10.0.0.1', address: '10.0.0.1' },
  { host: '[fd00::1]', address: 'fd00::1' },
  { host: '[fe80::1]', address: 'fe80::1' },
] as const;

/** Milliseconds. The guard rejects a request before it connects, so only a loaded machine reaches the timeout. */
const timeoutMs = 5_000;

/**
 * Tests the SSRF guard with hosts that it must reject, except the operator's allowed networks. Returns the first host that
 * it did not reject; throws when a test timed out.
 */
export async function findUnguardedHost(allowedNetworks: readonly string[]): Promise<string | undefined> {
  const isAllowed = inNetworks(allowedNetworks);
  const tested = forbiddenTargets.filter(({ address }) => !isAllowed(address));
  const rejected = await Promise.all(tested.map(({ host }) => isRejected(host, allowedNetworks)));
  return tested.find((_, index) => rejected[index] !== true)?.host;
}

async function isRejected(host: string, allowedNetworks: readonly string[]): Promise<boolean> {
  try {
    const request = { owner: '', headers: {}, body: '', timeoutMs, maxResponseBytes: 1 } as const;
    await guardedRequest({ ...request, url: `http://${host}/`, allowedNetworks });
    return false;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // A timeout proves nothing, so the activity retries.
    if (error.reason === 'timed-out') throw new Error('outbound guard test timed out', { cause: error });
    return error.reason === 'address-refused';
  }
}
