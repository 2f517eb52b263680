import type { ServerConfiguration } from '../../platform/config/configuration.ts';
import type { Gateway } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { RequestMiddleware } from '../http/middleware/state.ts';
import { consoleRoutes } from './routes.ts';

/** The built pages of this installation. */
const built = new URL('../../console/dist/', import.meta.url);

/** Opens the console of an API process by its configuration. */
export const openConsole = (
  { console: settings, temporalUiUrl }: ServerConfiguration,
  gateway: Gateway,
  endpoints: readonly Endpoint[],
): RequestMiddleware =>
  consoleRoutes({
    ...gateway,
    endpoints,
    operatorSeesContent: settings.operatorSeesContent,
    temporalUiUrl,
    folder: built,
  });
