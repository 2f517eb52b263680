import { sql, type RawBuilder } from 'kysely';
import type { ActivityLogBody } from '../../activity-logs/activity-log.ts';
import { writeBody } from '../../activity-logs/activity-log.ts';
import { peopleIn, type NotificationBody } from '../../notifications/notification.ts';
import { jsonNameBuildKinds } from '../../users/json-name-build.entity.ts';
import { jsonKinds, type JsonKind } from '../../users/json-name.entity.ts';
import { allNames, namesInResponse } from '../../users/name-index.ts';
import { namedPeople, type NamedPeople } from '../../users/named-users.ts';
import type { Tables } from '../../tables.ts';
import { jsonTables } from '../stores/json-tables.ts';

/** Whom a row of an earlier release names. */
export interface EarlierNames {
  readonly names: readonly string[];
  /** Users' ids, each with an address. */
  readonly addresses: NamedPeople['addresses'];
}

/** A table with free JSON that an earlier release wrote, walked along an index. */
export interface EarlierTable {
  /** As `json_name_build` numbers it. */
  readonly kind: number;
  readonly table: keyof Tables;
  /** Of a unique index, each with its type. */
  readonly order: readonly (readonly [column: string, type: 'bigint' | 'smallint' | 'timestamptz'])[];
  /** The column with its JSON, or text. */
  readonly content: string;
  /** SQL over `t`: further addresses of the user `t`, null where it is none. */
  readonly own?: RawBuilder<unknown>;
  /** What its rows are indexed by: blocks of records, or seconds of events or of responses. */
  readonly index: { readonly blocksOf: JsonKind } | { readonly endpoint: RawBuilder<unknown> };
  namesOf(content: unknown): EarlierNames;
}

const ofPeople = (people: NamedPeople): EarlierNames => ({
  names: allNames(people),
  addresses: people.addresses,
});
const free = (content: unknown): EarlierNames => ofPeople(namedPeople(content));

const byId = [['id', 'bigint']] as const;

export const earlierTables: readonly EarlierTable[] = [
  {
    kind: jsonKinds.activity,
    table: 'activity',
    order: byId,
    content: 'body',
    index: { blocksOf: 'activity' },
    namesOf: (content) => ofPeople(writeBody(content as ActivityLogBody).people),
  },
  {
    kind: jsonKinds.notification,
    table: 'notification',
    order: byId,
    content: 'body',
    index: { blocksOf: 'notification' },
    namesOf: (content) => ofPeople(peopleIn(content as NotificationBody)),
  },
  ...jsonTables.map(({ kind, table, column }): EarlierTable => ({
    kind: jsonKinds[kind],
    table,
    order: byId,
    content: column,
    ...(kind === 'user' && { own: sql`json_build_array(t.email, t.ext_id)` }),
    index: { blocksOf: kind },
    namesOf: free,
  })),
  {
    kind: jsonNameBuildKinds.event,
    table: 'event',
    order: [
      ['api_key_id', 'bigint'],
      ['at', 'timestamptz'],
      ['id', 'bigint'],
    ],
    content: 'payload',
    index: { endpoint: sql`0` },
    namesOf: free,
  },
  {
    kind: jsonNameBuildKinds.attempt,
    table: 'attempt',
    order: [
      ['event_id', 'bigint'],
      ['endpoint_id', 'bigint'],
      ['no', 'smallint'],
      ['at', 'timestamptz'],
    ],
    content: 'response',
    index: { endpoint: sql`t.endpoint_id` },
    namesOf: (content) => ({ names: namesInResponse(String(content)), addresses: [] }),
  },
];
