import type { Client } from 'pg';
import { sentStatements, type SentStatement } from '../../platform/database/sent-statements.ts';
import type { TestDatabase } from './database.ts';

export type { SentStatement };

/** Background statements of a process: its heartbeat, the usage of keys, and their rate limits. */
const background = /^insert into (?:"process"|usage_hour|request_bucket) /;

/** The background statement that records the last uses of scoped tokens, up to 5 s after them. */
const tokenUses = 'update auth_token set last_used_at = ';

/**
 * Returns all statements that APIs of this process sent to PostgreSQL while `act` ran, in order, including transaction
 * commands, without background transactions. It omits the commit of one that began before `act`, too. `withTokenUses`
 * includes the statement that records the last uses of tokens.
 */
export async function statementsOf(
  act: () => Promise<unknown>,
  { withTokenUses = false }: { readonly withTokenUses?: boolean } = {},
): Promise<readonly SentStatement[]> {
  const sent: SentStatement[] = [];
  const record = (statement: unknown): void => {
    sent.push(statement as SentStatement);
  };
  sentStatements.start.subscribe(record);
  try {
    await act();
  } finally {
    sentStatements.start.unsubscribe(record);
  }
  const inBackground = ({ text }: SentStatement): boolean =>
    background.test(text) || (!withTokenUses && text.startsWith(tokenUses));
  return sent.filter(({ text, connection }, index) => {
    const ofConnection = sent.filter((other) => other.connection === connection);
    if (ofConnection.some(inBackground)) return false;
    return !/^(?:commit|rollback)$/.test(text) || sent.slice(0, index).some((one) => begins(one, connection));
  });
}

const begins = (statement: SentStatement, connection: object): boolean =>
  statement.connection === connection && /^(?:begin|start transaction)/.test(statement.text);

const transactionCommand =
  /^(?:begin|start transaction|commit|rollback|savepoint|release|set |select pg_(?:try_)?advisory)/i;

/** Whether a statement only controls its transaction, and so has no plan. */
export const isTransactionCommand = ({ text }: Pick<SentStatement, 'text'>): boolean =>
  transactionCommand.test(text.trim());

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'TID Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

export interface Plan {
  /** Indexes that are searched by a condition, in the order of the plan. */
  readonly indexes: readonly string[];
  /** The condition of each of them. */
  readonly conditions: readonly string[];
  /** Tables that are read completely, by a sequential scan or an index scan without a condition. */
  readonly wholeTables: readonly string[];
}

/** Returns the plan of a statement under the role's settings (`rolePlannerSettings`), without its sequential scans. */
export async function explain(
  database: TestDatabase,
  { text }: Pick<SentStatement, 'text'>,
  /** Planner settings that are disabled for the plan. */
  off: readonly string[] = [],
): Promise<Plan> {
  const client = await planner(database);
  for (const setting of off) await client.query(`set ${setting} = off`);
  const nodes = await planForAnyValues(client, text);
  for (const setting of off) await client.query(`reset ${setting}`);
  const reads = nodes.filter(
    (node) => node['Relation Name'] !== undefined && node['Node Type'].includes('Scan'),
  );
  const atPosition = (node: PlanNode): boolean =>
    node['Node Type'] === 'Bitmap Heap Scan' || (node['Index Cond'] ?? node['TID Cond']) !== undefined;
  const entered = nodes.filter((node) => node['Index Cond'] !== undefined);
  return {
    indexes: entered.map((node) => node['Index Name'] ?? ''),
    conditions: entered.map((node) => node['Index Cond'] ?? ''),
    wholeTables: reads.filter((node) => !atPosition(node)).map((node) => node['Relation Name'] ?? ''),
  };
}

type PlanRow = Readonly<Record<'QUERY PLAN', readonly [{ readonly Plan: PlanNode }]>>;

/** The nodes of a generic plan, like the API's connections use. */
export async function planForAnyValues(client: Client, text: string): Promise<readonly PlanNode[]> {
  const rows = await genericPlan(client, text);
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan: plan }) => below(plan)));
}

async function genericPlan(client: Client, text: string): Promise<readonly PlanRow[]> {
  const version = await client.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  );
  if ((version.rows[0]?.number ?? 0) >= 160_000) {
    return (await client.query<PlanRow>(`explain (generic_plan, format json) ${text}`)).rows;
  }
  // PostgreSQL 15 has no `generic_plan` option, but a prepared statement can have a generic plan.
  // Without pruning: the values below are null, for which no partition would be left.
  await client.query('set plan_cache_mode = force_generic_plan; set enable_partition_pruning = off');
  await client.query(`prepare explained as ${text}`);
  const prepared = await client.query<{ parameters: number }>(
    `select cardinality(parameter_types) as parameters from pg_prepared_statements where name = 'explained'`,
  );
  const values = Array.from({ length: prepared.rows[0]?.parameters ?? 0 }, () => 'null').join(', ');
  const { rows } = await client.query<PlanRow>(
    `explain (format json) execute explained${values === '' ? '' : `(${values})`}`,
  );
  await client.query('deallocate explained');
  await client.query('reset plan_cache_mode; reset enable_partition_pruning');
  return rows;
}

/**
 * Repeats the statements of a call with their values, like the API's connections in one transaction, which is rolled back.
 * Returns how many rows of a table they read.
 */
export async function rowsRead(
  database: TestDatabase,
  sent: readonly SentStatement[],
  table: string,
): Promise<number> {
  const client = await planner(database);
  // The counters may still have those of earlier transactions.
  const counted = async (): Promise<number> => {
    const { rows } = await client.query<{ count: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count
       from pg_stat_xact_user_tables where relname = $1`,
      [table],
    );
    return rows[0]?.count ?? 0;
  };
  await client.query('begin; set local plan_cache_mode = force_generic_plan');
  const before = await counted();
  for (const { text, values } of sent)
    if (!isTransactionCommand({ text })) await client.query(text, [...values]);
  const after = await counted();
  await client.query('rollback');
  return after - before;
}

const planners = new WeakMap<TestDatabase, Promise<Client>>();

/** The connection for `explain`, one per database. It ends when the database is dropped. */
async function planner(database: TestDatabase): Promise<Client> {
  const known = planners.get(database);
  if (known !== undefined) return known;
  const made = database.connect().then(async (client) => {
    await client.query('set enable_seqscan = off; set enable_mergejoin = off');
    return client;
  });
  planners.set(database, made);
  return made;
}

function below(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(below)];
}
