import { Migration } from '@mikro-orm/migrations';

/** New messages leave room beside them for their claim, which then touches no index; partitions to come are made so. */
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
