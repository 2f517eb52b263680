import { rowChecks } from '../../platform/database/statements.ts';

// Makes every test compare the rows of each statement with their declared types.
rowChecks.check = (row, rows) => {
  for (const one of rows) row.parse(one);
};
