import { describe, expect, it } from '@jest/globals';
import { keepRunning } from '../../local/keep-running.ts';
import type { RunningComponent } from '../../local/keep-running.ts';
import { eventually } from '../support/eventually.ts';

/** A component that a test can end. `starts` counts its starts. */
function aComponent(failsToStart: (start: number) => boolean = () => false) {
  let starts = 0;
  let die: (how: string) => void = () => undefined;
  return {
    title: 'The component',
    starts: () => starts,
    die: (how = 'exit code 1') => die(how),
    async start(): Promise<RunningComponent> {
      starts += 1;
      if (failsToStart(starts)) throw new Error('The port is taken.');
      const ended = new Promise<string>((resolve) => (die = resolve));
      return {
        pid: starts,
        ended,
        lastLines: async () => await Promise.resolve([`last words of ${starts}`]),
        async stop() {
          die('it was stopped');
          await ended;
        },
      };
    },
  };
}

function aWatch() {
  const seen = { restarts: 0, shown: new Array<string>(), givenUp: new Array<string>() };
  return {
    seen,
    options: {
      onRestarted: () => void (seen.restarts += 1),
      onGivenUp: (message: string) => void seen.givenUp.push(message),
      show: (line: string) => void seen.shown.push(line),
    },
  };
}

describe('keepRunning', () => {
  it('restarts a component with a delay when it crashes', async () => {
    const component = aComponent();
    const { seen, options } = aWatch();
    const kept = await keepRunning(component, options);
    component.die('SIGKILL');
    await eventually(() => seen.restarts === 1);
    expect(kept.current().pid).toBe(2);
    expect(seen.shown).toEqual(['The component ended (SIGKILL): restarting it in 0.25 s.']);
    await kept.stop();
    expect(component.starts()).toBe(2);
  });

  it('gives up after the fifth crash within a minute and shows the last lines', async () => {
    const component = aComponent();
    const { seen, options } = aWatch();
    const kept = await keepRunning(component, options);
    for (let start = 1; start <= 5; start += 1) {
      await eventually(() => kept.current().pid === start);
      component.die();
    }
    await eventually(() => seen.givenUp.length > 0);
    expect(seen.givenUp).toEqual([
      'The component ended 5 times within a minute (exit code 1). Its last lines:\nlast words of 5',
    ]);
    expect(component.starts()).toBe(5);
    await kept.stop();
  });

  it('counts a failed restart as a crash', async () => {
    const component = aComponent((start) => start > 1);
    const { seen, options } = aWatch();
    const kept = await keepRunning(component, options);
    component.die();
    await eventually(() => seen.givenUp.length > 0);
    expect(seen.givenUp[0]).toMatch(
      /^The component ended 5 times .*\(it did not start\).*\nThe port is taken\.$/,
    );
    await kept.stop();
  });

  it('throws when the first start fails', async () => {
    const component = aComponent(() => true);
    await expect(keepRunning(component, aWatch().options)).rejects.toThrow('The port is taken.');
  });

  it('does not restart a stopped component, and does not count a requested restart as a crash', async () => {
    const component = aComponent();
    const { seen, options } = aWatch();
    const kept = await keepRunning(component, options);
    for (let start = 2; start <= 8; start += 1) {
      await kept.restart();
      await eventually(() => kept.current().pid === start);
    }
    expect(seen.givenUp).toEqual([]);
    await kept.stop();
    expect(component.starts()).toBe(8);
  });
});
