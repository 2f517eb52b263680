import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../../platform/config/configuration.ts';
import { openTemporal } from '../../platform/temporal/temporal-client.ts';
import { searchAttributes } from '../../workflows/contract.ts';
import { proven } from './proven.ts';
import type { MovedDocument } from './move-document.ts';
import type { Stage } from './stage.ts';

/** Finds the workflow of the migration as an operator does: by its id, by its kind and by the organization. */
export async function findWorkflow(
  { installation, narrator, signal }: Stage,
  { temporal: settings }: Configuration,
  { migrationId, from }: MovedDocument,
): Promise<void> {
  narrator.act('Temporal finds the workflow');
  const temporal = openTemporal({ ...settings, address: installation.temporalAddress });
  const { workflow } = temporal.client();
  // What Temporal lists is a moment behind what it does.
  const until = Date.now() + 20_000;
  const counted = async (query: string): Promise<number> => {
    for (;;) {
      const { count } = await workflow.count(query);
      if (count > 0 || Date.now() >= until) return count;
      await pause(100, undefined, { signal });
    }
  };
  try {
    const ways = [
      [searchAttributes.jobId, migrationId],
      [searchAttributes.jobKind, 'document-migration'],
      [searchAttributes.organizationId, from.organizationId],
    ] as const;
    for (const [attribute, value] of ways) {
      const query = `${attribute} = "${value}"`;
      const found = await narrator.timed(
        () => counted(query),
        (number) => `${query}  finds ${String(number)}`,
      );
      proven(found > 0, `Temporal finds no workflow with ${query}.`);
    }
  } finally {
    await temporal.close();
  }
  if (installation.temporalUiUrl !== null)
    narrator.say(`The same queries work in the Temporal UI: ${installation.temporalUiUrl}`);
}
