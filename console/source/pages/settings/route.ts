import { createRoute } from '@tanstack/react-router';
import { keyRoute } from '../../shell/key-route.tsx';
import { lazyPage } from '../../shell/lazy-page.tsx';
import { oneOf, type Search } from '../../shell/search.ts';
import { sectionNames, type SectionName } from './section-names.ts';

export const settingsRoute = createRoute({
  getParentRoute: () => keyRoute,
  path: 'settings',
  validateSearch: (search: Search): { readonly section?: SectionName | undefined } => ({
    section: oneOf(search['section'], sectionNames),
  }),
  component: lazyPage(() => import('./view.tsx'), 'SettingsView'),
});
