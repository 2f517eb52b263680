import { Migration } from '@mikro-orm/migrations';
import { pairsOf } from './2026-11-25-webhook-subscriptions.ts';

/** Endpoints per statement. */
const batchSize = 2_000;

/**
 * Writes the subscriptions of existing endpoints; a trigger writes those of later changes. Each statement commits by
 * itself and locks its endpoints for less than a second. Repeatable.
 */
export class WebhookSubscriptionRows extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    const [found] = await this.execute('select coalesce(max(id), 0)::int8 as last from webhook_endpoint');
    const last = Number(Reflect.get(found ?? {}, 'last'));
    for (let after = 0; after < last; after += batchSize) {
      this.addSql(`insert into webhook_subscription (api_key_id, type, channel, endpoint_id)
        select w.api_key_id, t.type, c.channel, w.id
        from (select * from webhook_endpoint where id > ${String(after)} and id <= ${String(after + batchSize)}
          and deleted_at is null and disabled_at is null order by id for share) w
          cross join ${pairsOf('w')}
        on conflict do nothing`);
    }
  }
}
