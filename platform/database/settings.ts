/** PostgreSQL's settings by their names, each in its base unit: times in milliseconds. */
export type Settings = Readonly<Record<string, string>>;
