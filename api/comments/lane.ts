/** Members that calls of one transaction must share. */
interface LaneRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly createOrganization: boolean;
  readonly createDocument: boolean;
  readonly verifyUserPermissions: boolean;
}

interface Triggers {
  readonly triggerNotification?: boolean | undefined;
  readonly triggerActivities?: boolean | undefined;
}

/**
 * The lane of a call that adds comments: its document. Undefined for a call that checks its authors' access, or that
 * emits events and may start a job.
 */
export function laneOf(sent: LaneRequest, comments: readonly Triggers[]): string | undefined {
  const { organizationId, documentId, createOrganization, createDocument, verifyUserPermissions } = sent;
  const emits = comments.some(
    ({ triggerNotification, triggerActivities }) =>
      triggerNotification === true || triggerActivities === true,
  );
  if (verifyUserPermissions || emits) return undefined;
  return JSON.stringify([organizationId, documentId, createOrganization, createDocument]);
}
