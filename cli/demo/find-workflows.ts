import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../../platform/config/configuration.ts';
import { openTemporal } from '../../platform/temporal/temporal-client.ts';
import { searchAttributes } from '../../workflows/contract.ts';
import { deliveryStartOf, dispatchStartOf } from '../../workflows/starts.ts';
import type { MovedDocument } from './move-document.ts';
import { maxWaitMs, proven } from './proven.ts';
import type { Stage } from './stage.ts';

/** The subjects of this run's workflows. */
interface Worked {
  readonly moved: MovedDocument;
  /** The job of the deletion. */
  readonly deletion: string;
  readonly endpointId: string;
}

/** Finds the workflows by job, kind, organization and id, as an operator does, and shows their URLs. */
export async function findWorkflows(
  { installation, narrator, signal }: Stage,
  { temporal: settings }: Configuration,
  worked: Worked,
): Promise<void> {
  narrator.act('Temporal finds the workflows');
  const temporal = openTemporal({ ...settings, address: installation.temporalAddress });
  const { workflow } = temporal.client();
  // Temporal's visibility is eventually consistent.
  const until = Date.now() + maxWaitMs;
  const found = async (query: string): Promise<Set<string>> => {
    for (;;) {
      const ids = new Set<string>();
      for await (const { workflowId } of workflow.list({ query })) ids.add(workflowId);
      if (ids.size > 0 || Date.now() >= until) return ids;
      await pause(100, undefined, { signal });
    }
  };
  const addresses = new Set<string>();
  try {
    for (const query of queriesOf(worked)) {
      const ids = await narrator.timed(
        () => found(query),
        ({ size }) => `${query}  found ${String(size)}`,
      );
      proven(ids.size > 0, `Temporal found no workflow with ${query}.`);
      for (const id of ids) addresses.add(id);
    }
  } finally {
    await temporal.close();
  }
  if (installation.temporalUiUrl === null) return;
  narrator.say('The same queries work in the Temporal UI. These are the workflows:');
  const namespace = encodeURIComponent(settings.namespace);
  for (const id of addresses) {
    const address = `${installation.temporalUiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}`;
    narrator.say(`  ${address}`);
  }
}

function queriesOf({ moved, deletion, endpointId }: Worked): string[] {
  const deliveries = deliveryStartOf({ keyId: '', endpointId });
  const { workflowType: dispatches } = dispatchStartOf({ keyId: '' });
  return [
    `${searchAttributes.jobId} = "${moved.migrationId}"`,
    `${searchAttributes.jobId} = "${deletion}"`,
    `${searchAttributes.organizationId} = "${moved.from.organizationId}"`,
    `WorkflowId = "${deliveries.workflowId}"`,
    `WorkflowType = "${dispatches}"`,
  ];
}
