/** PostgreSQL settings by name, in their base unit: times in milliseconds. */
export type Settings = Readonly<Record<string, string>>;
