import { exportOperatorAuditLog } from './export.ts';
import { getOperatorAuditLog } from './get.ts';

export const auditLogEndpoints = [getOperatorAuditLog, exportOperatorAuditLog] as const;
