import { count } from './narrator.ts';
import { allDone } from './proven.ts';
import type { DocumentLocation, Stage } from './stage.ts';

const top = { folderId: 'contracts', folderName: 'Contracts' };
const folders = [
  top,
  { folderId: 'contracts-2026', folderName: '2026', parentFolderId: 'contracts' },
  { folderId: 'drafts', folderName: 'Drafts', parentFolderId: 'contracts-2026' },
  { folderId: 'signed', folderName: 'Signed', parentFolderId: 'contracts-2026' },
];

const documentId = 'draft-7';

/** Creates two organizations, a folder tree, and a document with the same id in each. Returns the first document. */
export async function seedOrganizations({ steward, narrator, run }: Stage): Promise<DocumentLocation> {
  narrator.act('Two organizations and a folder tree');
  const [acme, globex] = [`acme-${run}`, `globex-${run}`];
  await narrator.timed(
    () =>
      allDone(
        steward.organizations.add({
          organizations: [
            { organizationId: acme, organizationName: 'Acme', plan: 'enterprise' },
            { organizationId: globex, organizationName: 'Globex' },
          ],
        }),
      ),
    () => `Created organizations ${acme} and ${globex}`,
  );
  await narrator.timed(
    () => allDone(steward.folders.add({ organizationId: acme, folders })),
    () => `${String(folders.length)} folders in one call`,
  );
  await narrator.timed(
    async () => {
      const documents = [{ documentId, documentName: 'Master agreement' }];
      const inDrafts = { organizationId: acme, folderId: 'drafts', documents };
      await allDone(steward.documents.add(inDrafts));
      await allDone(steward.documents.add({ organizationId: globex, documents }));
    },
    () => `A document ${documentId} in each: ids are unique per organization`,
  );
  await showFolders(acme, { steward, narrator });
  return { organizationId: acme, documentId };
}

interface Branch {
  readonly folderName: string;
  readonly ancestors: readonly string[];
  readonly subFolders?: readonly Branch[] | undefined;
}

async function showFolders(
  organizationId: string,
  { steward, narrator }: Pick<Stage, 'steward' | 'narrator'>,
): Promise<void> {
  const tree = await steward.folders.get({
    organizationId,
    folderId: top.folderId,
    maxDepth: folders.length,
  });
  const show = ({ folderName, ancestors, subFolders = [] }: Branch): void => {
    narrator.say(`${'  '.repeat(ancestors.length)}${folderName}/`);
    subFolders.forEach(show);
  };
  tree.data.forEach(show);
}

const calls = 10;
const recordsPerCall = 1_000;

/** Writes 10,000 activity logs in batches of 1,000; returns the acknowledged ids. */
export async function fillDocument(
  { steward, narrator, run }: Stage,
  document: DocumentLocation,
): Promise<string[]> {
  narrator.act(`A document with ${count(calls * recordsPerCall)} activity logs`);
  return await narrator.timed(
    async () => {
      const acknowledged: string[] = [];
      for (let batch = 0; batch < calls; batch += 1) {
        const { data } = await steward.activities.add({
          ...document,
          activities: Array.from({ length: recordsPerCall }, (_, index) => comment(run, batch, index)),
        });
        acknowledged.push(...data.activityIds);
      }
      return acknowledged;
    },
    ({ length }) => `${count(length)} activity logs in ${String(calls)} calls`,
  );
}

const people = ['ada', 'grace', 'linus', 'margaret', 'alan'];

/** The user id of a person, unique per run. */
export const personOf = (person: string, run: string): string => `${person}-${run}`;

/** Every tenth comment mentions a person. */
function comment(run: string, batch: number, index: number) {
  const [person, mentioned] = [people[index % people.length] ?? '', people[(index / 10) % people.length]];
  return {
    featureType: 'comment' as const,
    actionType: 'comment.add',
    actionUser: { userId: personOf(person, run), name: person },
    ...(mentioned !== undefined && {
      entityData: { mentions: [{ userId: personOf(mentioned, run), name: mentioned }] },
    }),
    targetEntityId: `thread-${String(batch)}-${String(index % 50)}`,
    displayMessageTemplate: '{{actionUser.name}} commented on paragraph {{paragraph}}',
    displayMessageTemplateData: { paragraph: index },
  };
}
