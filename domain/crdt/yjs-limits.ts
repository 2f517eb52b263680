/** CPU time after which work is ended. Elapsed time would refuse on a busy machine what is accepted on an idle one. */
export const maxWorkMs = 2_000;

/** Elapsed time after which work is ended. */
export const maxElapsedMs = 8_000;

/** The heap of a thread. */
export interface ThreadMemory {
  readonly oldMebibytes: number;
  readonly youngMebibytes: number;
}

/** For bytes from clients. */
export const foreignMemory: ThreadMemory = { oldMebibytes: 256, youngMebibytes: 32 };

/** For states that were made within `foreignMemory`: the larger heap leaves room for the new content beside them. */
export const knownMemory: ThreadMemory = { oldMebibytes: 384, youngMebibytes: 32 };

export const cpuMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
