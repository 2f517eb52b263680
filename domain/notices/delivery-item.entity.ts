import { defineEntity, p } from '@mikro-orm/core';
import { dailyPartitions, moment } from '../columns.ts';

/** A notification in a delivery of the log. Daily partitions like those of the log. */
export const DeliveryItemSchema = defineEntity({
  name: 'DeliveryItem',
  tableName: 'delivery_item',
  partitionBy: dailyPartitions('delivery_item', 'at'),
  properties: {
    at: moment().primary(),
    deliveryId: p.bigint('string').primary(),
    notificationId: p.bigint('string').primary(),
    documentId: p.bigint('string'),
  },
  indexes: [
    { name: 'item_notification', properties: ['notificationId', 'at'] },
    { name: 'item_document', properties: ['documentId', 'at'] },
  ],
});
