/** Prints the steps of the demo with their times. */
export interface Narrator {
  /** Starts a new act. */
  act(title: string): void;
  say(sentence: string): void;
  /** Runs `work`, then prints its result and duration. */
  timed<Result>(work: () => Promise<Result>, sentence: (result: Result) => string): Promise<Result>;
}

const timeColumn = 84;

export function createNarrator(write: (text: string) => void): Narrator {
  let acts = 0;
  const line = (text: string): void => write(`${text}\n`);
  return {
    act(title) {
      acts += 1;
      line(`\n${String(acts)}. ${title}`);
    },
    say: (sentence) => line(`   ${sentence}`),
    async timed(work, sentence) {
      const began = performance.now();
      const result = await work();
      const took = duration(performance.now() - began);
      line(`${`   ${sentence(result)} `.padEnd(timeColumn, '.')} ${took.padStart(7)}`);
      return result;
    },
  };
}

export const duration = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${String(Math.round(milliseconds))} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;

export const count = (number: number): string => number.toLocaleString('en-US');
