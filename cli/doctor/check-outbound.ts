import { lookup } from 'node:dns/promises';
import type { Configuration } from '../../platform/config/configuration.ts';
import { inNetworks } from '../../platform/network/networks.ts';
import { within } from '../../platform/process/within.ts';
import { finding, type Finding } from './finding.ts';

/** Addresses of clouds that return credentials of the machine. */
const metadataAddresses = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254'];

const loopbackAddresses = ['127.0.0.1', '::1'];

/** Milliseconds. */
const resolveMs = 5_000;

/** Checks the networks that customers' URLs may reach, and that names resolve. */
export async function checkOutbound(configuration: Configuration): Promise<readonly Finding[]> {
  return [networksFinding(configuration), await dnsFinding(configuration)];
}

const nameOthers = 'name only networks that these URLs need';

function networksFinding({ outboundAllowedNetworks: networks }: Configuration): Finding {
  const allows = inNetworks(networks);
  const variable = 'STEWARD_OUTBOUND_ALLOWED_NETWORKS';
  if (networks.some((network) => network.endsWith('/0')))
    return finding(
      'outbound',
      'serious',
      `${variable} allows customers' URLs to reach every address: ${nameOthers}.`,
    );
  if (metadataAddresses.some(allows)) {
    const text = `${variable} allows customers' URLs to reach the metadata service of a cloud: ${nameOthers}.`;
    return finding('outbound', 'serious', text);
  }
  if (loopbackAddresses.some(allows))
    return finding(
      'outbound',
      'warning',
      `${variable} allows customers' URLs to reach this machine: ${nameOthers}.`,
    );
  const count = networks.length === 0 ? 'no private network' : `${String(networks.length)} private networks`;
  return finding('outbound', 'ok', `Customers' URLs may reach public addresses and ${count}.`);
}

const publicProvider = 'https://api.openai.com';

async function dnsFinding({ providerBaseUrls }: Configuration): Promise<Finding> {
  const configured = Object.values(providerBaseUrls).find((url) => url !== undefined);
  const { hostname } = new URL(configured ?? publicProvider);
  const resolving = lookup(hostname.replaceAll(/[[\]]/g, '')).catch(() => undefined);
  const found = await within(resolving, resolveMs, undefined);
  if (found !== undefined) return finding('dns', 'ok', `DNS resolves ${hostname}.`);
  const subject = configured === undefined ? 'the name server' : 'that name or the name server';
  const text = `DNS does not resolve ${hostname}: correct ${subject} of this machine, or allow its DNS traffic.`;
  return finding('dns', 'warning', text);
}
