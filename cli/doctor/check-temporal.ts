import type { Configuration } from '../../platform/config/configuration.ts';
import { listAttributes, type ListedAttributes } from '../../platform/temporal/search-attributes.ts';
import { openTemporal, type TemporalClient } from '../../platform/temporal/temporal-client.ts';
import { readDeployment } from '../../platform/temporal/worker-deployment.ts';
import { searchAttributes, workflowQueue } from '../../workflows/contract.ts';
import { sweepSchedule } from '../../workflows/starts.ts';
import { buildsFinding } from './builds-finding.ts';
import { finding, guarded, type Finding } from './finding.ts';

const remedy = 'check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and certificates';

/** Milliseconds for all calls. */
const limitMs = 5_000;

/** Checks Temporal, its search attributes and the sweep's Schedule. */
export async function checkTemporal({ temporal: options }: Configuration): Promise<readonly Finding[]> {
  const { address = '', namespace } = options;
  const temporal = openTemporal({ ...options, address });
  try {
    if (!(await temporal.available(limitMs))) {
      const text = `Temporal at ${address} does not respond within ${String(limitMs / 1_000)} s, or has no namespace ${namespace}: ${remedy}.`;
      return [finding('temporal', 'serious', text)];
    }
    return [
      finding('temporal', 'ok', `Temporal responds in namespace ${namespace}.`),
      ...(await checkAttributes(temporal)),
      ...(await checkSweep(temporal)),
      ...(await checkBuilds(temporal)),
    ];
  } finally {
    await temporal.close();
  }
}

async function checkAttributes(temporal: TemporalClient): Promise<readonly Finding[]> {
  const failed = 'Temporal does not let this client list its search attributes.';
  return warned(temporal, 'search attributes', failed, async () => {
    return attributesFinding(await listAttributes(temporal.client()));
  });
}

export function attributesFinding({ keywords, others }: ListedAttributes): Finding {
  const check = 'search attributes';
  const unknown = Object.values(searchAttributes).filter((name) => !keywords.has(name));
  const otherType = unknown.filter((name) => others.has(name));
  if (unknown.length === 0) return finding(check, 'ok', 'Every search attribute is registered.');
  const text =
    otherType.length > 0
      ? `Search attributes are not of type Keyword (${otherType.join(', ')}): remove them, and a worker registers them within a minute; or use another namespace.`
      : `Search attributes are not registered (${unknown.join(', ')}): start a worker, or register them as docs/finding-workflows.md shows.`;
  return finding(check, 'warning', text);
}

async function checkSweep(temporal: TemporalClient): Promise<readonly Finding[]> {
  const { scheduleId } = sweepSchedule;
  const failed = `The Schedule ${scheduleId} could not be read. If Temporal has none, start a worker: it creates the Schedule.`;
  return warned(temporal, 'sweep', failed, async () => {
    const { state } = await temporal.client().schedule.getHandle(scheduleId).describe();
    return state.paused
      ? finding('sweep', 'warning', `The Schedule ${scheduleId} is paused: unpause it in the Temporal UI.`)
      : finding('sweep', 'ok', `The Schedule ${scheduleId} is active.`);
  });
}

async function checkBuilds(temporal: TemporalClient): Promise<readonly Finding[]> {
  const failed = 'Temporal does not let this client read which workers poll.';
  return warned(temporal, 'builds', failed, async () =>
    buildsFinding(await readDeployment(temporal.client(), workflowQueue)),
  );
}

/** A call that fails is a warning: without it, work continues. */
async function warned(
  temporal: TemporalClient,
  check: string,
  failed: string,
  work: () => Promise<Finding>,
): Promise<readonly Finding[]> {
  const { connection } = temporal.client();
  const found = await guarded(check, failed, async () =>
    connection.withDeadline(Date.now() + limitMs, async () => [await work()]),
  );
  return found.map((one) => (one.text === failed ? { ...one, level: 'warning' } : one));
}
