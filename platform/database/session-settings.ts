import { escapeIdentifier, escapeLiteral, type ClientBase } from 'pg';
import { alterRole, roleSettings } from './role-settings.ts';
import type { Settings } from './settings.ts';

/** The settings that the role lacks, and the statement that sets them. */
export interface MissingSettings {
  readonly missing: readonly string[];
  readonly remedy: string;
}

const readTimeoutMs = 5_000;

/**
 * Guarantees the settings of a process's statements: each transaction sets what its session lacks. Nothing is set per
 * session, because behind a pooler the next statement may run in another session.
 */
export class SessionSettings {
  readonly #wanted: Settings;
  readonly #onMissing: (settings: MissingSettings) => void;
  /** The settings that every session so far started with; undefined before the first. */
  #present: Settings | undefined;
  #reported = false;
  #local: string;

  constructor(wanted: Settings, onMissing: (settings: MissingSettings) => void) {
    this.#wanted = wanted;
    this.#onMissing = onMissing;
    this.#local = setLocal(Object.entries(wanted));
  }

  /** Commands for the start of each transaction, each after a semicolon; empty when sessions have every setting. */
  get local(): string {
    return this.#local;
  }

  /** Reads the settings of a new connection, before it is used. */
  async read(client: ClientBase): Promise<void> {
    const names = [...new Set([...Object.keys(this.#wanted), ...Object.keys(roleSettings)])];
    const query = {
      text: `select session_user::text as role, current_database()::text as database, name, setting from pg_settings where name = any($1)`,
      values: [names],
      query_timeout: readTimeoutMs,
    };
    const { rows } = await client.query<SettingRow>(query);
    const [first] = rows;
    if (first === undefined) throw new Error('missing rows of the session settings in pg_settings');
    const found = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    const before = this.#present ?? found;
    const present = Object.fromEntries(
      Object.entries(found).filter(([name, value]) => before[name] === value),
    );
    this.#present = present;
    this.#local = setLocal(Object.entries(this.#wanted).filter(([name, value]) => present[name] !== value));
    const missing = Object.keys(roleSettings).filter((name) => present[name] !== roleSettings[name]);
    if (missing.length === 0 || this.#reported) return;
    this.#reported = true;
    this.#onMissing({
      missing,
      remedy: alterRole(escapeIdentifier(first.role), escapeIdentifier(first.database)),
    });
  }
}

interface SettingRow {
  readonly role: string;
  readonly database: string;
  readonly name: string;
  readonly setting: string;
}

/** SQL commands, each after a semicolon, that set settings until the end of the transaction. */
export const setLocal = (settings: readonly (readonly [string, string])[]): string =>
  settings.map(([name, value]) => `; set local ${name} = ${escapeLiteral(value)}`).join('');
