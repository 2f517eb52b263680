import type { ReactNode } from 'react';
import { getRouteApi } from '@tanstack/react-router';
import { SelectField, TextField } from '../../elements/field.tsx';
import { FilterForm } from '../../elements/filter-form.tsx';
import { OrganizationField } from '../../elements/organization-field.tsx';
import { channels, deliveryStatuses, type NotificationsSearch } from './filters.ts';

const route = getRouteApi('/keys/$keyId/notifications');

/** The filters of deliveries. Choices apply at once, texts when the form is sent. */
export function DeliveryFilters(): ReactNode {
  const { pageToken: _, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: NotificationsSearch): void => void navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm
      label="Find"
      send={(textOf) =>
        change({
          organizationId: textOf('organizationId'),
          userId: textOf('userId'),
          notificationId: textOf('notificationId'),
        })
      }
    >
      <OrganizationField value={search.organizationId} />
      <TextField name="userId" label="Recipient’s id" defaultValue={search.userId} />
      <TextField name="notificationId" label="Notification id" defaultValue={search.notificationId} />
      <SelectField
        label="Channel"
        value={search.channel}
        values={channels}
        none="All channels"
        onChange={(channel) => change({ channel })}
      />
      <SelectField
        label="Status"
        value={search.status}
        values={deliveryStatuses}
        none="All statuses"
        onChange={(status) => change({ status })}
      />
    </FilterForm>
  );
}
