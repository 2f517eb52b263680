import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table notification add asked_audience bigint, add to_members boolean, add verify boolean`,
  `create table named_recipient (
     notification_id bigint not null references notification on delete cascade, user_id bigint not null, audience_id bigint not null,
     api_key_id bigint not null, org_id bigint not null, email text, primary key (notification_id, user_id))`,
  `create index named_recipient_user on named_recipient (user_id, org_id, notification_id)`,
];

/** Creates named users of a notification without an inbox entry; adds how the call chose the recipients. */
export class NamedRecipients extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
