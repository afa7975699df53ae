declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** What a plugin is given: the viewer brings a React of its own. */
  export interface ViewerSystem {
    readonly React: {
      createElement(type: string, properties: object | null, ...children: unknown[]): unknown;
    };
  }

  interface ViewerOptions {
    readonly spec: object;
    readonly domNode: HTMLElement;
    readonly deepLinking: boolean;
    readonly docExpansion: 'list' | 'full' | 'none';
    readonly defaultModelsExpandDepth: number;
    readonly filter: boolean;
    readonly displayRequestDuration: boolean;
    readonly validatorUrl: null;
    readonly plugins: readonly ((system: ViewerSystem) => object)[];
  }

  export default function SwaggerUI(options: ViewerOptions): unknown;
}
