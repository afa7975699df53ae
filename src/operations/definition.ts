// The application's definition, as the interface shows it.

import type { Context } from '../context.ts';
import { applicationUrl, applicationView } from '../domain/definition/view.ts';
import type { Application } from '../wire/applications.ts';

export function show({ application }: Context, publicUrl: string): Application {
  return applicationView(application.definition, application.version, applicationUrl(publicUrl, application.id));
}
