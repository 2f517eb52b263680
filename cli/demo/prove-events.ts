import type { Listener } from './listen.ts';
import type { MovedDocument } from './move-document.ts';
import { count } from './narrator.ts';
import { maxWaitMs, proven } from './proven.ts';
import type { Stage } from './stage.ts';

/** Compares the received events with the acknowledged writes, id by id. */
export async function proveEvents(
  { narrator }: Stage,
  listener: Listener,
  { edits, migrationId }: MovedDocument,
): Promise<void> {
  narrator.act('Check that every event arrived');
  const { events } = listener;
  const arrived = await narrator.timed(
    () =>
      listener.until(() => {
        const ids = idsOf(events, 'paragraph.edit', 'id');
        const moved = idsOf(events, 'document.migrated', 'migrationId').has(migrationId);
        return moved && edits.every((id) => ids.has(id)) ? ids : undefined;
      }, maxWaitMs),
    (ids) => `paragraph.edit ${count(ids.size)} times, document.migrated once, each signed`,
  );
  proven(
    arrived.size === edits.length,
    `${count(edits.length)} edits were acknowledged, but ${count(arrived.size)} events arrived.`,
  );
  proven(listener.refused() === 0, `${count(listener.refused())} messages had an invalid signature.`);
  narrator.say(`They match the ${count(edits.length)} acknowledged edits, id by id`);
  const numbers = [...events.values()].flatMap(({ sequence }) => (sequence === null ? [] : [sequence]));
  const last = Math.max(...numbers);
  proven(new Set(numbers).size === last, `The message numbers up to ${count(last)} have gaps.`);
  narrator.say(
    `Numbered from 1 to ${count(last)} without a gap; ${count(listener.repeated())} arrived more than once`,
  );
}

function idsOf(events: Listener['events'], type: string, member: string): ReadonlySet<unknown> {
  const ofType = [...events.values()].filter(({ event }) => event === type);
  return new Set(ofType.map(({ data }) => data[member]));
}
