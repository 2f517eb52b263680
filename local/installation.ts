import { takeDataFolder } from './data-folder.ts';
import type { DemoFile } from './demo-file.ts';
import { Supervisor, type InstallationOptions } from './supervisor.ts';

/** A complete Steward on this machine. */
export interface Installation {
  readonly demo: DemoFile;
  /** Resolves with a message when a component crashed too often. The other components keep running until `stop`. */
  readonly failed: Promise<string>;
  /** During `stop`: kills API and worker instead of waiting for running work. */
  hurry(): void;
  /** Stops API, worker, Temporal and PostgreSQL, in this order. */
  stop(): Promise<void>;
}

/** Starts all components. On failure stops what it started and throws a StartFailure. */
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
