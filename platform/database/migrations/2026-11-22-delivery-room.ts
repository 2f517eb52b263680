import { Migration } from '@mikro-orm/migrations';

/**
 * Leaves free space on the pages of deliveries, so that a claim changes no index. New partitions are created with it.
 */
export class DeliveryRoom extends Migration {
  override up(): void {
    this.addSql(`do $$
      declare partition regclass;
      begin
        for partition in select inhrelid::regclass from pg_inherits where inhparent = 'delivery'::regclass loop
          execute format('alter table %s set (fillfactor = 45)', partition);
        end loop;
      end $$`);
  }
}
