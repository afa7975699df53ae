// The application's definition as clients see it.

import type { Context } from '../context.ts';
import type { PreparedApplication } from '../domain/definition/application.ts';
import { applicationUrl, applicationView } from '../domain/definition/view.ts';

/** Serialized once per version: 200 collections of 200 columns are megabytes of JSON, and took 20 ms each time. */
const texts = new WeakMap<PreparedApplication, { readonly publicUrl: string; readonly text: string }>();

/** As JSON. */
export function show({ application }: Context, publicUrl: string): string {
  const known = texts.get(application);
  if (known?.publicUrl === publicUrl) return known.text;
  const { definition, version, id } = application;
  const text = JSON.stringify(applicationView(definition, version, applicationUrl(publicUrl, id)));
  texts.set(application, { publicUrl, text });
  return text;
}
