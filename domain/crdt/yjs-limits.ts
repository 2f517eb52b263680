/** Max CPU time of a call. A limit of elapsed time alone would reject on a busy machine what an idle one accepts. */
export const maxWorkMs = 2_000;

/** Max elapsed time of a call. */
export const maxElapsedMs = 8_000;

/**
 * Max bytes of state, decompressed, and of new content that a thread of the API works on. Empty objects, which
 * are two bytes there, take about 70 times as much memory: `test/attacks/crdt`.
 */
export const maxThreadBytes = 524_288;

/** Heap limits of a thread. */
export interface ThreadMemory {
  readonly oldMebibytes: number;
  readonly youngMebibytes: number;
}

/** For bytes from clients. */
export const foreignMemory: ThreadMemory = { oldMebibytes: 256, youngMebibytes: 32 };

/** For states that were built within `foreignMemory`; the larger heap has room for new content beside them. */
export const knownMemory: ThreadMemory = { oldMebibytes: 384, youngMebibytes: 32 };

/**
 * For small ones, in threads of the API. Less room for young objects keeps it at about 390 MB instead of 490 while it
 * reads them, and is as fast (`npm run bench -- crdt-get`).
 */
export const sharedMemory: ThreadMemory = { ...knownMemory, youngMebibytes: 8 };

/** Returns the CPU time in milliseconds. */
export const cpuMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
