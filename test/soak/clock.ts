import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notObtained, unpackedPackages, type DebianPackages } from '../support/debian-programs.ts';

/** The clock of the processes that start with its environment. */
export interface SoakedClock {
  readonly environment: Readonly<Record<string, string>>;
  /** Steps the clock to so many seconds before or after the true time, within a second. */
  readonly step: (seconds: number) => Promise<void>;
}

/** The oldest supported release: its library loads into the programs of the machine, with their own libc. */
const packages: DebianPackages = { name: 'libfaketime', release: 'bookworm', packages: ['libfaketime'] };

/** Returns a clock that Debian's libfaketime steps, or a line with the reason why it is not available. */
export async function aSoakedClock(folder: string): Promise<SoakedClock | string> {
  const architecture = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string];
  if (architecture === undefined) return `libfaketime: not obtained for the processor ${process.arch}.`;
  try {
    const unpacked = await unpackedPackages(packages);
    const file = join(await mkdtemp(join(folder, 'clock-')), 'offset');
    const step = async (seconds: number): Promise<void> =>
      await writeFile(file, seconds < 0 ? String(seconds) : `+${String(seconds)}`);
    await step(0);
    return {
      environment: {
        LD_PRELOAD: join(unpacked, `usr/lib/${architecture}-linux-gnu/faketime/libfaketimeMT.so.1`),
        FAKETIME_TIMESTAMP_FILE: file,
        // Seconds until a step is seen.
        FAKETIME_CACHE_DURATION: '1',
        // A step changes the time of day, not durations.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
      step,
    };
  } catch (error) {
    return notObtained(packages, error);
  }
}
