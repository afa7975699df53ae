// Whether a text is percent-encoded UTF-8.

/** Uses what was decoded: a bundler takes the call for one without effect, and would drop it with its error. */
export function isPercentEncoded(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}
