import { subscribe } from 'node:diagnostics_channel';
import { receivedRowsName, type ReceivedRows } from '../../platform/database/received-rows.ts';

// Makes every test compare the rows of each statement with their declared types. Node throws the error of a subscriber as
// an uncaught exception, which fails the test.
subscribe(receivedRowsName, (message) => {
  const { row, rows } = message as ReceivedRows;
  for (const one of rows) row.parse(one);
});
