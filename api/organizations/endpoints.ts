import { addOrganizations } from './add-organizations.ts';
import { deleteOrganizations } from './delete-organizations.ts';
import { getOrganizations } from './get-organizations.ts';
import { searchOrganizations } from './search-organizations.ts';
import { updateOrganizations } from './update-organizations.ts';
import { updateOrganizationsDisableState } from './update-disable-state.ts';

export const organizationEndpoints = [
  addOrganizations,
  getOrganizations,
  searchOrganizations,
  updateOrganizations,
  deleteOrganizations,
  updateOrganizationsDisableState,
] as const;
