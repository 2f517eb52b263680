import { BlockList, isIPv4 } from 'node:net';
import { guardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';

/** Places that no webhook may reach, in the spellings in which they are asked for, and what addresses they are. */
const forbidden = [
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

/** Milliseconds for a call that should never leave; a machine under load may need some. */
const timeout = 5_000;

/**
 * Asks the guard of outgoing calls for places that it must refuse, but for those that the operator has allowed. Answers
 * the host that it let through, if there is one; throws when it could not be told.
 */
export async function findGap(allowedNetworks: readonly string[]): Promise<string | undefined> {
  const allowed = networks(allowedNetworks);
  const asked = forbidden.filter(({ address }) => !allowed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'));
  const refused = await Promise.all(asked.map(({ host }) => isRefused(host, allowedNetworks)));
  return asked.find((_, place) => refused[place] !== true)?.host;
}

async function isRefused(host: string, allowedNetworks: readonly string[]): Promise<boolean> {
  try {
    const request = { method: 'POST', headers: {}, body: '', timeout, maxResponseBytes: 1 } as const;
    await guardedRequest({ ...request, url: `http://${host}/`, allowedNetworks });
    return false;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // Nothing was judged: a busy machine looks like this, and so does a place that does not answer. Asked again.
    if (error.reason === 'timed-out') throw new Error('The guard was not heard in time.', { cause: error });
    return error.reason === 'address-refused';
  }
}

function networks(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits = ''] = subnet.split('/');
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}
