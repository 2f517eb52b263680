import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { namesOf } from '../names-of.ts';
import { levelNumbers, type PreferenceLevel } from './notification-preference.entity.ts';

export const channels = ['inbox', 'email', 'slack'] as const;
export type Channel = (typeof channels)[number];

export const levels = namesOf(levelNumbers);

export type Preference = Readonly<Record<Channel, PreferenceLevel>>;

/** Applies to users without preferences. */
export const defaultPreference: Preference = { inbox: 'ALL', email: 'MINE', slack: 'NONE' };

export const levelName = (number: number): PreferenceLevel => nameOfNumber(levelNumbers, number);

/** The nearest level with a preference. */
export const preferenceSources = ['document', 'organization', 'default'] as const;
export type PreferenceSource = (typeof preferenceSources)[number];

export interface PreferenceInForce {
  readonly preference: Preference;
  readonly source: PreferenceSource;
}

/** Surrogate keys; `document` is null for the organization. */
export interface PreferenceLocation {
  readonly user: string;
  readonly document: string | null;
}

const level = z.number().nullable();
const PreferenceRow = z.strictObject({
  inbox: level,
  email: level,
  slack: level,
  source: z.enum(preferenceSources),
});

/**
 * Reads the effective preference of each user and document in one statement, in order. Each channel takes the document's
 * level, else the organization's, else the default.
 */
export async function preferencesInForce(
  em: EntityManager,
  tenantId: string,
  organization: string,
  locations: readonly PreferenceLocation[],
): Promise<PreferenceInForce[]> {
  if (locations.length === 0) return [];
  const found = await rowsOf(
    em,
    PreferenceRow,
    sql`select coalesce(d.inbox, o.inbox) as inbox, coalesce(d.email, o.email) as email, coalesce(d.slack, o.slack) as slack,
        case when coalesce(d.inbox, d.email, d.slack) is not null then 'document'
          when coalesce(o.inbox, o.email, o.slack) is not null then 'organization' else 'default' end as source
      from unnest(${locations.map(({ user }) => user)}::bigint[], ${locations.map(({ document }) => document ?? '0')}::bigint[])
        with ordinality as requested (user_id, document_id, ordinal)
      left join lateral (
        select p.inbox, p.email, p.slack from preference p
        where p.user_id = requested.user_id and p.org_id = ${organization}
          and p.document_id = requested.document_id and p.document_id <> 0
          and p.api_key_id = ${tenantId} offset 0) d on true
      left join lateral (
        select p.inbox, p.email, p.slack from preference p
        where p.user_id = requested.user_id and p.org_id = ${organization}
          and p.document_id = 0 and p.api_key_id = ${tenantId} offset 0) o
        on true
      order by requested.ordinal`,
  );
  return found.map(({ source, ...row }) => ({ source, preference: withDefaults(row) }));
}

function withDefaults(row: Readonly<Record<Channel, number | null>>): Preference {
  const level = (channel: Channel): PreferenceLevel => {
    const number = row[channel];
    return number === null ? defaultPreference[channel] : levelName(number);
  };
  return { inbox: level('inbox'), email: level('email'), slack: level('slack') };
}
