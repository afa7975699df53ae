/** After the `#` of any address of an application: the page's requests are shown over it. */
export const REQUEST_HASH = 'request';
