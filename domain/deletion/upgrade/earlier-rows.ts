import { sql, type RawBuilder } from 'kysely';
import type { ActivityLogBody } from '../../activity-logs/activity-log.entity.ts';
import { writeBody } from '../../activity-logs/activity-log.ts';
import { peopleIn } from '../../notifications/notification.ts';
import type { NotificationBody } from '../../notifications/notification.entity.ts';
import { jsonNameBuildKinds } from '../../users/json-name-build.entity.ts';
import { jsonKinds, type JsonKind } from '../../users/json-name.entity.ts';
import { allNames, namesInResponse } from '../../users/name-index.ts';
import { namedPeople, type NamedPeople } from '../../users/named-users.ts';
import type { Tables } from '../../tables.ts';
import { jsonTables } from '../stores/json-tables.ts';

/** The names in a row of an earlier release. */
export interface EarlierNames {
  readonly names: readonly string[];
  /** Pairs of a userId and an address. */
  readonly addresses: NamedPeople['addresses'];
}

/** A table with free JSON of an earlier release, read in index order. */
export interface EarlierTable {
  /** Its number in `json_name_build`. */
  readonly kind: number;
  readonly table: keyof Tables;
  /** The columns of a unique index with their types. */
  readonly order: readonly (readonly [column: string, type: 'bigint' | 'smallint' | 'timestamptz'])[];
  /** The column with JSON or text. */
  readonly content: string;
  /** SQL: a JSON array of further addresses of the user `t`; an element may be null. */
  readonly own?: RawBuilder<unknown>;
  /** How its rows are indexed: by blocks of records, or by seconds of events or responses. */
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
  {
    kind: jsonKinds.agentExecution,
    table: 'agent_execution',
    order: byId,
    content: 'results',
    index: { blocksOf: 'agentExecution' },
    namesOf: free,
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
