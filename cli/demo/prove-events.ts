import type { Listener } from './listen.ts';
import type { MovedDocument } from './move-document.ts';
import { count } from './narrator.ts';
import { proven } from './proven.ts';
import type { Stage } from './stage.ts';

const longestWait = 60_000;

/** Compares what arrived with what was acknowledged, id by id. */
export async function proveEvents(
  { narrator }: Stage,
  listener: Listener,
  { edits, migrationId }: MovedDocument,
): Promise<void> {
  narrator.act('Every event arrived');
  const { events } = listener;
  const arrived = await narrator.timed(
    () =>
      listener.until(() => {
        const ids = idsOf(events, 'paragraph.edit', 'id');
        const moved = idsOf(events, 'document.migrated', 'migrationId').has(migrationId);
        return moved && edits.every((id) => ids.has(id)) ? ids : undefined;
      }, longestWait),
    (ids) => `paragraph.edit ${count(ids.size)} times, document.migrated once, each signed`,
  );
  proven(
    arrived.size === edits.length,
    `${count(edits.length)} edits were acknowledged, but ${count(arrived.size)} are told of.`,
  );
  proven(
    listener.refused() === 0,
    `${count(listener.refused())} messages were not signed as they should be.`,
  );
  narrator.say(`They are the ${count(edits.length)} that were acknowledged, id by id`);
  const numbers = [...events.values()].flatMap(({ sequence }) => (sequence === null ? [] : [sequence]));
  const last = Math.max(...numbers);
  proven(new Set(numbers).size === last, `The messages are numbered to ${count(last)}, with gaps.`);
  narrator.say(
    `Numbered from 1 to ${count(last)} without a gap; ${count(listener.repeated())} came more than once`,
  );
}

function idsOf(events: Listener['events'], type: string, member: string): ReadonlySet<unknown> {
  const ofType = [...events.values()].filter(({ event }) => event === type);
  return new Set(ofType.map(({ data }) => data[member]));
}
