import { rm } from 'node:fs/promises';
import { writeWhole } from './files.ts';
import type { DemoCredentials } from './local-secrets.ts';

/** What `demo.json` tells tools and tests of a running `npm start`; `null` where a server is not of ours. */
export interface DemoFile extends DemoCredentials {
  readonly baseUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  readonly databaseUrl: string;
  readonly operatorToken: string;
  readonly pids: {
    readonly supervisor: number;
    readonly api: number;
    readonly worker: number;
    readonly postgres: number | null;
    readonly temporal: number | null;
  };
}

export async function writeDemoFile(path: string, content: DemoFile): Promise<void> {
  await writeWhole(path, `${JSON.stringify(content, null, 2)}\n`);
}

export async function removeDemoFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
