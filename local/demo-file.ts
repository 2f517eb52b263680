import { rm } from 'node:fs/promises';
import { readIfThere, writeWhole } from './files.ts';
import type { DemoCredentials } from './local-secrets.ts';

/** `demo.json`: describes a running `npm start` to tools and tests; `null` for external servers. */
export interface DemoFile extends DemoCredentials {
  readonly baseUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  readonly databaseUrl: string;
  readonly operatorToken: string;
  /** The folder of e-mails; null when a mail server sends them or e-mail is off. */
  readonly mailsDir: string | null;
  /** Variables of API and worker that commands read. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly pids: {
    readonly supervisor: number;
    readonly api: number;
    readonly worker: number;
    readonly postgres: number | null;
    readonly temporal: number | null;
  };
}

/** The file of a running or killed start; undefined when it is missing or damaged. */
export async function readDemoFile(path: string): Promise<DemoFile | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as DemoFile;
  } catch {
    return undefined;
  }
}

export async function writeDemoFile(path: string, content: DemoFile): Promise<void> {
  await writeWhole(path, `${JSON.stringify(content, null, 2)}\n`);
}

export async function removeDemoFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
