import { StewardError } from '../../packages/client/source/steward.ts';
import { count } from './narrator.ts';
import type { MovedDocument } from './move-document.ts';
import { proven } from './proven.ts';
import type { DocumentLocation, Stage } from './stage.ts';

/** Compares the document's activity logs with the acknowledged ones, id by id, and checks that the old id is gone. */
export async function proveMove(stage: Stage, moved: MovedDocument): Promise<void> {
  const { steward, narrator } = stage;
  const { from, to, acknowledged } = moved;
  narrator.act('Check that nothing was lost');
  const found = await narrator.timed(
    () => activityIds(stage, to),
    (ids) => `${count(ids.length)} activity logs are under ${to.documentId}`,
  );
  const present = new Set(found);
  const lost = acknowledged.filter((id) => !present.has(id));
  proven(
    lost.length === 0,
    `${count(lost.length)} acknowledged activity logs are not under ${to.documentId}.`,
  );
  proven(
    found.length === acknowledged.length && present.size === new Set(acknowledged).size,
    `${count(acknowledged.length)} activity logs were acknowledged, but the document has ${count(found.length)}.`,
  );
  narrator.say(`They match the ${count(acknowledged.length)} acknowledged activity logs, id by id`);

  const refusal = await refusalOf(() => activityIds(stage, from));
  proven(
    refusal?.status === 'NOT_FOUND' && refusal.details['movedTo'] === to.documentId,
    `${from.documentId} is still readable.`,
  );
  const documents = await steward.documents.get({
    organizationId: from.organizationId,
    documentIds: [from.documentId, to.documentId],
  });
  const [only, ...others] = documents.data;
  proven(
    others.length === 0 && only?.id === to.documentId,
    `documents/get does not list ${to.documentId} alone.`,
  );
  narrator.say(`${from.documentId} is NOT_FOUND, with details.movedTo ${to.documentId}`);
}

async function refusalOf(act: () => Promise<unknown>): Promise<StewardError | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof StewardError) return error;
    throw error;
  }
}

async function activityIds({ steward }: Stage, document: DocumentLocation): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of steward.activities.get({ ...document, pageSize: 1_000 })) ids.push(id);
  return ids;
}
