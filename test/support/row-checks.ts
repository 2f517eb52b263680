import { rowChecks } from '../../platform/database/statements.ts';

// Every test compares the rows of each statement with their declaration.
rowChecks.check = (row, rows) => {
  for (const one of rows) row.parse(one);
};
