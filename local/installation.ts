import { takeDataFolder } from './data-folder.ts';
import type { DemoFile } from './demo-file.ts';
import { Supervisor, type InstallationOptions } from './supervisor.ts';

/** A whole Steward on this machine. */
export interface Installation {
  readonly demo: DemoFile;
  /** Resolves when a part died too often, with what to tell. Everything else still runs and waits to be stopped. */
  readonly failed: Promise<string>;
  /** While it stops: API and worker may no longer finish what is under way. */
  hurry(): void;
  /** API, worker, Temporal, PostgreSQL, in this order. */
  stop(): Promise<void>;
}

/** Starts everything; throws a StartFailure with nothing left running. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const folder = await takeDataFolder(options.configuration.dataDirectory);
  const supervisor = new Supervisor(options, folder);
  try {
    const demo = await supervisor.start();
    return {
      demo,
      failed: supervisor.failed,
      hurry: () => supervisor.hurry(),
      stop: async () => await supervisor.stop(),
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}
