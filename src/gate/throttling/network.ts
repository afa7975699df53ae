// Which addresses count as one client. With IPv6 a client has a whole network (/64) and may use another address for each
// request. Many have a whole site (/48, 65,536 networks), which is counted too, with a higher limit because many people may
// share it.

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const SITE_GROUPS = 3;
/** The limit of a site as a multiple of the limit of a network. */
export const SITE_FACTOR = 10;

/** Takes an address as http/clients/client-address spells it. */
export const networkOf = (address: string): string =>
  address.includes(':') ? `${groupsOf(address, NETWORK_GROUPS)}::/64` : address;

/** Undefined for IPv4, where there are no sites. */
export const siteOf = (address: string): string | undefined =>
  address.includes(':') ? `${groupsOf(address, SITE_GROUPS)}::/48` : undefined;

function groupsOf(address: string, count: number): string {
  const [left = '', right] = address.split('::');
  const groups = left === '' ? [] : left.split(':');
  const last = right === undefined || right === '' ? 0 : right.split(':').length;
  const zeros = right === undefined ? 0 : GROUPS - groups.length - last;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(right ?? '').split(':')];
  return all.slice(0, count).join(':');
}
