import { Migration } from '@mikro-orm/migrations';

/** Replaces pairs of indexes over the same columns with one index, because each event pays for every index. */
const statements = [
  `alter table event drop constraint event_pkey`,
  `drop index event_key`,
  `alter table event add primary key (api_key_id, at, id)`,
  `alter table event_user drop constraint event_user_pkey`,
  `drop index event_user_person`,
  `alter table event_user add primary key (user_id, at, event_id)`,
  `alter table outbox drop constraint outbox_pkey`,
  `drop index outbox_key`,
  `alter table outbox add primary key (api_key_id, event_id)`,
];

/** Reorders the primary keys of events, so that they begin with the columns of lookups. */
export class EventKeys extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
