// The viewer of the document, which is made elsewhere: it draws into an element that is its own.

import { useEffect, useRef } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { OpenApiDocument } from './document.ts';
import { plainText } from './plain-text.ts';
import 'swagger-ui-dist/swagger-ui.css';
import './viewer.css';

export function Viewer({ document: spec }: { readonly document: OpenApiDocument }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    SwaggerUI({
      spec,
      domNode: place.current,
      deepLinking: true,
      docExpansion: 'none',
      // The shapes are shown with the operations that use them.
      defaultModelsExpandDepth: -1,
      filter: true,
      displayRequestDuration: true,
      validatorUrl: null,
      plugins: [plainText],
    });
  }, [spec]);
  return <div ref={place} lang="en" />;
}
