import type { Figure } from './figure.ts';
import { residentOf } from './process.ts';
import type { Site } from './site.ts';

/** Watches the resident memory of API and worker, and its max until `stop`. */
export interface MemoryWatch {
  /** Records the current memory as that of the idle processes. */
  idle(): void;
  /** Ends the watch. Empty where the system does not report it. */
  stop(): Figure[];
}

const betweenLooks = 200;
const maxMegabytes = { API: { idle: 200, load: 300 }, worker: { idle: 300, load: 300 } } as const;

export function watchMemory(site: Site): MemoryWatch {
  const processes = [
    { name: 'API', pid: site.api.pid },
    { name: 'worker', pid: site.worker.pid },
  ] as const;
  const idle = new Map<string, number>();
  const peaks = new Map<string, number>();
  const look = (into: Map<string, number>): void => {
    for (const { name, pid } of processes) {
      const megabytes = residentOf(pid);
      if (megabytes !== undefined) into.set(name, Math.max(megabytes, into.get(name) ?? 0));
    }
  };
  const timer = setInterval(() => look(peaks), betweenLooks);
  // The watch must not keep a failed run alive.
  timer.unref();
  return {
    idle: () => look(idle),
    stop() {
      clearInterval(timer);
      return processes.flatMap(({ name }) =>
        [
          ['idle', idle, maxMegabytes[name].idle] as const,
          ['max, under load', peaks, maxMegabytes[name].load] as const,
        ].flatMap(([when, seen, value]) => {
          const megabytes = seen.get(name);
          if (megabytes === undefined) return [];
          const target = { of: 'measured', is: 'at most', value } as const;
          return [
            {
              name: `resident memory of the ${name}, ${when}`,
              unit: 'MB' as const,
              steward: megabytes,
              target,
            },
          ];
        }),
      );
    },
  };
}
