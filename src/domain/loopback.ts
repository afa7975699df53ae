// Addresses on this machine, where nobody can listen: the only ones that may be spoken to in plain words.

/** In the form that URL gives a host. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean => LOOPBACK.test(hostname);

export const isConfidential = (address: URL): boolean =>
  address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address));
