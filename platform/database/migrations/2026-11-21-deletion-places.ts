import { Migration } from '@mikro-orm/migrations';

const statements = [
  // Finds the records of an actor that name other users; most records name none and are not read.
  `create index activity_naming on activity (actor_id, org_id, ts, id) where mentioned <> '{}'`,
];

/** Adds the index with which a deletion finds the users that a person's records name. */
export class DeletionPlaces extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
