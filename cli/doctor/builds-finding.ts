import type { WorkerDeployment } from '../../platform/temporal/worker-deployment.ts';
import { finding, type Finding } from './finding.ts';

/** Whether workers poll and get the work. Serious when those that poll do not get it. */
export function buildsFinding({ current, ramp, builds, unversionedPollers }: WorkerDeployment): Finding {
  const working =
    current === null ? unversionedPollers : (builds.find(({ buildId }) => buildId === current)?.pollers ?? 0);
  // Workers of earlier builds may still run while another build is current.
  const waiting = builds.filter(
    ({ buildId, status, pollers }) =>
      pollers > 0 && buildId !== current && (status === 'inactive' || working === 0),
  );
  const [newest] = waiting;
  const level = working > 0 ? 'warning' : 'serious';
  if (newest !== undefined) {
    const names = waiting.map(({ buildId }) => buildId).join(', ');
    const remedy = `run npm run cli -- deploy current --build-id ${newest.buildId}`;
    return finding(
      'builds',
      level,
      `Workers get no work, because their build is not current (${names}): ${remedy}.`,
    );
  }
  if (current !== null && unversionedPollers > 0) {
    const text = `Workers without a version get no work, because build ${current} is current: set STEWARD_WORKER_VERSIONING for them, or run npm run cli -- deploy current --unversioned.`;
    return finding('builds', level, text);
  }
  if (current === null)
    return working === 0
      ? finding('builds', 'warning', 'No worker polls Temporal: start one.')
      : finding('builds', 'ok', 'Workers without a version get the work.');
  if (working === 0) {
    const text = `No worker of the current build ${current} polls: start one, or make another build current.`;
    return finding('builds', 'serious', text);
  }
  const part =
    ramp === null ? '' : `, and ${ramp.buildId} gets ${String(ramp.percentage)} % of the workflows`;
  return finding('builds', 'ok', `Workers of build ${current} get the work${part}.`);
}
