// Files that do something where a browser takes them for what they say or look like: each leaves traces when a script of
// it runs, and when a browser merely follows what it refers to. No expectation about the server lives here.

/** How a page may take in what another address serves. */
export type Embedding = 'script' | 'module' | 'worker' | 'stylesheet' | 'image' | 'iframe' | 'object' | 'embed';
export type Way = 'opened' | Embedding;

export interface DangerousFile {
  /** Stands in the traces. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Where it leaves a trace when nothing holds it back: the control that this file can fail a test. */
  readonly acts: readonly Way[];
}

/** Fit for scripts, attributes in double quotes and XML alike: neither `<` nor `&` nor a double quote. */
function payload(traces: string, name: string): string {
  return [
    `try { console.log('ran ${name}') } catch (e) {}`,
    `try { globalThis.leaveTrace('${name}') } catch (e) {}`,
    `try { document.title = 'ran ${name}' } catch (e) {}`,
    `try { fetch('${traces}/${name}', { mode: 'no-cors' }) } catch (e) {}`,
  ].join(';');
}

const FRAMED = ['opened', 'iframe', 'object', 'embed'] as const;
const LOADED = ['script', 'module', 'worker'] as const;

/**
 * `traces`: an address that notes what is asked for below it, and answers `NAME.js` with a script of that name.
 * `mark`: stands behind the names in the traces, and in nothing else.
 */
export function dangerousFiles(traces: string, mark = ''): DangerousFile[] {
  const js = (name: string) => payload(traces, name);
  const html = (name: string) =>
    `<!doctype html><title>${name}</title><body onload="${js(name)}"><script>${js(name)}</script>` +
    `<script src="${traces}/${name}.js"></script><img src="${traces}/${name}" onerror="${js(name)}">` +
    `<iframe srcdoc="<script src='${traces}/${name}.js'></script>"></iframe>` +
    `<meta http-equiv="refresh" content="1;url=${traces}/${name}"></body>`;
  const xhtml = (name: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>${name}</title></head>` +
    `<body onload="${js(name)}"><script>${js(name)}</script></body></html>`;
  const xml = (name: string) =>
    `<?xml version="1.0"?><note><x:script xmlns:x="http://www.w3.org/1999/xhtml">${js(name)}</x:script></note>`;
  const svg = (name: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${js(name)}"><script>${js(name)}</script>` +
    `<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml">` +
    `<script src="${traces}/${name}.js"></script></body></foreignObject></svg>`;
  // The size of the picture, `/*`, begins a comment, and its mark is a label, which modules allow too.
  const gifAndScript = (name: string) => `GIF89a/*${'\0'.repeat(20)}*/:${js(name)}`;
  const gifAndPage = (name: string) => `GIF89a\x01\0\x01\0\x80\0\0${html(name)}`;
  // The page stands in a comment of the picture.
  const jpegAndPage = (name: string) => {
    const page = html(name);
    const length = String.fromCharCode((page.length + 2) >> 8, (page.length + 2) & 255);
    return `\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xfe${length}${page}\xff\xd9`;
  };
  const pdf = (name: string) =>
    `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL\\('${traces}/${name}'\\))>>>>` +
    `endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>` +
    `endobj\ntrailer<</Root 1 0 R>>\n%%EOF`;
  const archive = (name: string) =>
    `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x; type="text/html"\r\n\r\n--x\r\n` +
    `Content-Type: text/html\r\n\r\n${html(name)}\r\n--x--\r\n`;
  const css = (name: string) => `body { background: url(${traces}/${name}) }`;

  const made: DangerousFile[] = [];
  const add = (
    name: string,
    contentType: string,
    make: (name: string) => string,
    acts: DangerousFile['acts'] = [],
  ): void => {
    made.push({ name, contentType, bytes: Buffer.from(make(name + mark), 'latin1'), acts });
  };
  // What they are.
  add('html', 'text/html', html, FRAMED);
  add('html-utf8', 'text/html; charset=utf-8', html, FRAMED);
  add('html-shouted', 'TEXT/HTML', html, FRAMED);
  add('xhtml', 'application/xhtml+xml', xhtml, FRAMED);
  add('xml', 'text/xml', xml, FRAMED);
  add('application-xml', 'application/xml', xml, FRAMED);
  add('svg', 'image/svg+xml', svg, FRAMED);
  add('script', 'text/javascript', js, LOADED);
  add('application-script', 'application/javascript', js, LOADED);
  add('css', 'text/css', css, ['stylesheet']);
  add('pdf', 'application/pdf', pdf);
  add('archive', 'multipart/related; boundary=x; type="text/html"', archive);
  add('message', 'message/rfc822', archive);
  // What they are not.
  add('gif-as-page', 'text/html', gifAndPage, FRAMED);
  add('jpeg-as-page', 'text/html', jpegAndPage, FRAMED);
  add('svg-as-xml', 'text/xml', svg, FRAMED);
  add('xhtml-as-svg', 'image/svg+xml', xhtml, FRAMED);
  add('gif-as-script', 'application/javascript', gifAndScript, LOADED);
  add('script-as-gif', 'image/gif', gifAndScript);
  add('jpeg-and-page', 'image/jpeg', jpegAndPage);
  add('script-as-text', 'text/plain', js, ['script']);
  add('script-as-page', 'text/html', js, ['script']);
  add('page-as-bytes', 'application/octet-stream', html);
  add('page-as-text', 'text/plain', html);
  add('page-as-nothing', 'unknown/unknown', html, FRAMED);
  add('page-as-parts', 'multipart/x-mixed-replace; boundary=x', archive);
  add('page-as-pdf', 'application/pdf', html);
  return made;
}
