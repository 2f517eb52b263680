import { aiProviders } from '../support/ai-providers.ts';
import { killAtRandom } from './kills.ts';
import { randomPauses } from './load.ts';
import { observe, type SoakOptions, type SoakResult } from './observe.ts';
import { startReceiver } from './receiver.ts';
import { growthOf } from './samples.ts';
import { startSteward } from './steward.ts';
import { makeTenants, soakEnvironment, tenantNames } from './tenant.ts';

export interface NpmStartSoak extends SoakOptions {
  readonly killing: boolean;
}

/** Soaks `npm start`, and with `killing` kills its processes at random. */
export async function soakNpmStart(options: NpmStartSoak): Promise<SoakResult> {
  const { killing, folder, show } = options;
  const [receiver, providers] = await Promise.all([startReceiver(), aiProviders()]);
  show('Starting Steward …');
  const steward = await startSteward(folder, { ...providers.environment, ...soakEnvironment });
  try {
    return await observe(
      {
        tenants: await makeTenants(await steward.current(), receiver, tenantNames),
        receiver,
        pace: randomPauses,
        log: steward.log,
        async sampled() {
          const { pids, databaseUrl } = await steward.current();
          const { api: API, worker, supervisor, temporal: Temporal } = pids;
          return { processes: { API, worker, supervisor, Temporal }, databaseUrl };
        },
        disturb: async (disturbance) => (killing ? await killAtRandom(steward, disturbance) : []),
        growthOf,
        notes: () => [`\`npm start\`, kills ${killing ? 'on' : 'off'}.`],
      },
      options,
    );
  } finally {
    show('Stopping Steward …');
    await steward.stop();
    await Promise.all([receiver.close(), providers.close()]);
  }
}
