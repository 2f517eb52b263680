import { Migration } from '@mikro-orm/migrations';
import { runAsOwner } from '../run-as-owner.ts';

/** For databases on which an unreleased build has created these functions with the privileges of their callers. */
export class TriggerOwners extends Migration {
  override up(): void {
    this.addSql(
      runAsOwner([
        'write_webhook_subscription()',
        'refuse_partial_deletion()',
        'refuse_partial_key_deletion()',
        'refuse_left_rows()',
      ]),
    );
  }
}
