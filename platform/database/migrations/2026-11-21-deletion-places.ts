import { Migration } from '@mikro-orm/migrations';

const statements = [
  // What says whom a person's own records name goes with them. Most records name nobody: they need not be read for it.
  `create index activity_naming on activity (actor_id, org_id, ts, id) where mentioned <> '{}'`,
];

/** What deleting a person's data needs of tables that it does not own. */
export class DeletionPlaces extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
