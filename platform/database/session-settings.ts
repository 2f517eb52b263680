import { escapeIdentifier, escapeLiteral, type ClientBase } from 'pg';
import { alterRole, roleSettings } from './role-settings.ts';
import type { Settings } from './settings.ts';

/** Names of settings that the role should have and has not, and the statement that gives them to it. */
export interface MissingSettings {
  readonly missing: readonly string[];
  readonly remedy: string;
}

/** Milliseconds that a new connection has to show its settings. */
const limit = 5_000;

/**
 * The settings that statements of a process run under, whatever the sessions of its pool begin with: what a session lacks is
 * sent with each transaction. Nothing is set for a session, for behind a pooler the next statement may be in another one.
 */
export class SessionSettings {
  readonly #wanted: Settings;
  readonly #onMissing: (settings: MissingSettings) => void;
  /** What every session so far began with; undefined before the first. */
  #present: Settings | undefined;
  #told = false;
  #local: string;

  constructor(wanted: Settings, onMissing: (settings: MissingSettings) => void) {
    this.#wanted = wanted;
    this.#onMissing = onMissing;
    this.#local = setLocal(Object.entries(wanted));
  }

  /** Commands for the beginning of each transaction, each with a semicolon before it; empty where sessions have every setting. */
  get local(): string {
    return this.#local;
  }

  /** Reads what a new connection begins with, before it is used. */
  async read(client: ClientBase): Promise<void> {
    const names = [...new Set([...Object.keys(this.#wanted), ...Object.keys(roleSettings)])];
    const query = {
      text: `select session_user::text as role, current_database()::text as database, name, setting from pg_settings where name = any($1)`,
      values: [names],
      query_timeout: limit,
    };
    const { rows } = await client.query<SettingRow>(query);
    const [first] = rows;
    if (first === undefined) throw new Error('PostgreSQL returned no settings.');
    const found = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    const before = this.#present ?? found;
    const present = Object.fromEntries(
      Object.entries(found).filter(([name, value]) => before[name] === value),
    );
    this.#present = present;
    this.#local = setLocal(Object.entries(this.#wanted).filter(([name, value]) => present[name] !== value));
    const missing = Object.keys(roleSettings).filter((name) => present[name] !== roleSettings[name]);
    if (missing.length === 0 || this.#told) return;
    this.#told = true;
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

/** SQL commands, each with a semicolon before it: settings until the end of the transaction. */
export const setLocal = (settings: readonly (readonly [string, string])[]): string =>
  settings.map(([name, value]) => `; set local ${name} = ${escapeLiteral(value)}`).join('');
