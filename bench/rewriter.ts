import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import { readConfiguration } from '../platform/config/read-configuration.ts';
import { median, type Figure } from './figure.ts';
import { thinking } from './floors/provider.ts';
import { residentOf } from './process.ts';
import type { Bench, Run } from './run.ts';
import { providerPath, type Site } from './site.ts';

const prompt = 'Make it friendlier.';
const text = 'Could you have another look at this paragraph? '.repeat(40);

const thinks = 2_000;
const atOnce = 200;

/** Compares a call through the workflow with the SDK's own call to the same server, and measures concurrent calls to a slow provider. */
export const askAi: Bench = async (site, run) => {
  await site.tenant.steward.workspace.apiKeyConfig.update({
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-bench' }],
  });
  return [await overhead(site, run), ...(await crowd(site, run))];
};

async function ask({ tenant }: Site, milliseconds: number): Promise<void> {
  const result = await tenant.steward.rewriter.askAi({
    model: thinking(milliseconds),
    prompt,
    text,
  });
  if (!result.success) throw new Error(result.error);
}

/** Alternates both, so that a drift of the machine's speed affects them equally. */
async function overhead(site: Site, { quick, show, signal }: Run): Promise<Figure> {
  show('Calling a model through the workflow and directly …');
  const openai = createOpenAI({ apiKey: 'sk-bench', baseURL: `${site.floor.url}${providerPath}` });
  const bare = async (): Promise<unknown> =>
    generateText({ model: openai.chat(thinking(0)), instructions: prompt, prompt: text, maxRetries: 0 });
  const [through, without]: [number[], number[]] = [[], []];
  const calls = quick ? 30 : 150;
  for (let call = -5; call < calls; call += 1) {
    signal.throwIfAborted();
    const times = [await timed(() => ask(site, 0)), await timed(bare)] as const;
    // The first calls warm up.
    if (call < 0) continue;
    through.push(times[0]);
    without.push(times[1]);
  }
  return {
    name: 'ask-ai: what the workflow adds to the call',
    unit: 'ms',
    steward: median(through) - median(without),
    against: { name: 'the SDK’s own call', measured: median(without) },
    target: { of: 'measured', is: 'at most', value: 60 },
  };
}

/** Starts more concurrent calls than one key may have running; the others wait for them. */
async function crowd(site: Site, { show }: Run): Promise<Figure[]> {
  show(`${String(atOnce)} concurrent calls to a model that responds after two seconds …`);
  const { callsPerKey } = readConfiguration({}, 'test').rewriter;
  const ideal = (Math.ceil(atOnce / callsPerKey) * thinks) / 1_000;
  const before = residentOf(site.api.pid);
  let peak = 0;
  const looking = setInterval(() => (peak = Math.max(peak, residentOf(site.api.pid) ?? 0)), 50);
  const took = await timed(async () =>
    Promise.all(Array.from({ length: atOnce }, async () => ask(site, thinks))),
  ).finally(() => clearInterval(looking));
  const name = `${String(atOnce)} concurrent ask-ai calls of one key, to a model of 2 s`;
  const figure: Figure = {
    name: `${name}: all completed`,
    unit: 's',
    steward: took / 1_000,
    against: { name: `${String(callsPerKey)} at a time`, measured: ideal },
    ratio: took / 1_000 / ideal,
    target: { of: 'ratio', is: 'at most', value: 1.5 },
  };
  if (before === undefined) return [figure];
  const target = { of: 'measured', is: 'at most', value: 30 } as const;
  const more = Math.max(0, peak - before);
  return [figure, { name: `${name}: additional memory of the API`, unit: 'MB', steward: more, target }];
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
