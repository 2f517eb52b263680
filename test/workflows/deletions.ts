import type { PersonKind } from '../../domain/deletion/places/place.ts';
import type { TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';

export interface Receipt {
  readonly jobId: string;
  readonly organizationIds: readonly string[] | null;
  readonly users: readonly string[];
  readonly counts: Readonly<Record<PersonKind, number>>;
  readonly unfinished: readonly PersonKind[];
  readonly completedAt: number;
  readonly verifiedAt: number | null;
  readonly jws: string;
}

/** What `/v2/users/data/delete/status` answers in `data`. */
export interface DeletionStatus {
  readonly jobId: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly phase: 'fencing' | 'deleting' | 'verifying' | null;
  readonly tasksCount: number;
  readonly tasksLeft: number;
  readonly isDeleteCompleted: boolean;
  readonly lastTaskCompletedTime: number | null;
  readonly counts: Readonly<Record<PersonKind, number>>;
  readonly verified: boolean;
  readonly receipt: Receipt | null;
  readonly dryRun: boolean;
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly late: boolean;
}

/** Asks for a deletion; answers the job's id. */
export async function deleteData(tenant: TestClient, data: object): Promise<string> {
  return (await tenant.ok<{ jobId: string }>('/v2/users/data/delete', data)).data.jobId;
}

export async function deletionOf(tenant: TestClient, jobId: string): Promise<DeletionStatus> {
  return (await tenant.ok<DeletionStatus>('/v2/users/data/delete/status', { jobId })).data;
}

/** The status once the deletion has ended. */
export async function endedDeletion(
  tenant: TestClient,
  jobId: string,
  within = 30_000,
): Promise<DeletionStatus> {
  return eventually(
    async () => {
      const status = await deletionOf(tenant, jobId);
      if (status.completedAt === null) throw new Error(`It is ${JSON.stringify(status)}`);
      return status;
    },
    { within },
  );
}
