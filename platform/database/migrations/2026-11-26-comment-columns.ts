import { Migration } from '@mikro-orm/migrations';

const counters = ['comment_annotations', 'comments', 'reactions', 'recordings']
  .map((name) => `add ${name} bigint not null default 0`)
  .join(', ');

const statements = [
  `alter table notification add thread_id bigint, add comment_id bigint`,
  `alter table usage_hour ${counters}`,
  `alter table usage_day ${counters}`,
];

/** Adds the comment of a notification, and counters of created comments and recordings. */
export class CommentColumns extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
