import { rowChecks } from '../../platform/database/statements.ts';

// What a statement is declared to return is what PostgreSQL returns, in each test that sends it.
rowChecks.judge = (row, rows) => {
  for (const one of rows) row.parse(one);
};
