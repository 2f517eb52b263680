import { isDeepStrictEqual } from 'node:util';
import type { CommentAnnotationsGetItem } from '../../packages/client/source/steward.ts';
import { personOf } from './seed.ts';
import { proven } from './proven.ts';
import type { DocumentLocation, Stage } from './stage.ts';

const annotationId = 'clause-4';

/** A comment thread as listed. */
type Thread = NonNullable<CommentAnnotationsGetItem>;

/** Starts a comment thread: linus begins it, ada replies and tags linus, who reacts. */
export async function startThread(
  { steward, narrator, run }: Stage,
  document: DocumentLocation,
): Promise<Thread> {
  narrator.act('A comment thread in the document');
  const [linus, ada] = ['linus', 'ada'].map((name) => ({ userId: personOf(name, run), name }));
  proven(linus !== undefined && ada !== undefined, 'The thread does not list its users.');
  const reply = { userId: linus.userId, text: '@linus', contact: linus };
  return await narrator.timed(
    async () => {
      await steward.commentAnnotations.add({
        ...document,
        commentAnnotations: [
          {
            annotationId,
            location: { id: 4, locationName: 'Clause 4' },
            assignedTo: linus,
            commentData: [
              { from: linus, commentText: 'Does the term end in May?' },
              { from: ada, commentText: `{{${linus.userId}}}: in June.`, taggedUserContacts: [reply] },
            ],
          },
        ],
      });
      const reaction = { ...document, annotationId, commentId: 2, icon: 'thumbs-up', from: linus };
      await steward.commentAnnotations.comments.reactions.add(reaction);
      return await threadOf(steward, document);
    },
    ({ commentsCount }) => `Annotation ${annotationId} with ${String(commentsCount)} comments and a reaction`,
  );
}

/** Checks that the thread has followed its document, unchanged. */
export async function proveThread(
  { steward, narrator }: Stage,
  before: Thread,
  to: DocumentLocation,
): Promise<void> {
  const { metadata, ...thread } = await threadOf(steward, to);
  const { metadata: _before, ...expected } = before;
  proven(metadata.documentId === to.documentId, `The thread does not name ${to.documentId}.`);
  proven(isDeepStrictEqual(thread, expected), 'The migration changed the thread.');
  narrator.say(`Its comment thread followed it: ${annotationId}, each comment and reaction as before`);
}

/** Checks that the thread outlives the person who began it, and does not name that person. */
export async function proveForgotten(
  { steward, narrator }: Stage,
  document: DocumentLocation,
  userId: string,
): Promise<void> {
  const thread = await threadOf(steward, document);
  proven(thread.from === null && thread.assignedTo === null, 'The thread has an author who was deleted.');
  proven(!JSON.stringify(thread).includes(userId), 'The thread names a person who was deleted.');
  const texts = thread.comments.map(({ commentText }) => commentText);
  proven(isDeepStrictEqual(texts, ['{{deleted}}: in June.']), 'The thread lost a reply by another user.');
  narrator.say(`The comment thread stays with ada's reply, and no longer names ${userId}`);
}

async function threadOf(steward: Stage['steward'], document: DocumentLocation): Promise<Thread> {
  const request = { ...document, annotationIds: [annotationId] };
  for await (const thread of steward.commentAnnotations.get(request)) if (thread !== null) return thread;
  throw new Error(`${annotationId} is not in ${document.documentId}.`);
}
