import { z } from 'zod';
import { listWorkspaces as list } from '../../../domain/workspaces/read-workspaces.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import { workspaceResponse, workspaceView } from './workspace.ts';

/** A name has up to 200 characters, an address up to 254. */
const maxWorkspaceBytes = 4_096;

export const listWorkspaces = endpoint({
  paths: ['/v2/operator/workspaces/list'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists all workspaces in order of creation.',
  description: 'Returns pages of 1,000 workspaces, disabled ones too, without secrets.',
  data: z.strictObject({ ...paging }),
  response: listResponse(workspaceResponse, { unpagedPaths: [] }),
  errors: [],
  example: { pageSize: 50 },
  async handle(_call, { em }) {
    const workspaces = rowPages(maxWorkspaceBytes, workspaceView, (page) => list(em, page));
    return { message: 'Workspaces retrieved successfully.', list: workspaces };
  },
});
