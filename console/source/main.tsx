import './styles/tokens.css';
import './styles/page.css';
import './styles/elements.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './session/query-client.ts';
import { router } from './router.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';

applyTheme(storedTheme());

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element #root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
