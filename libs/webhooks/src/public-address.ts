import ipaddr from 'ipaddr.js';

/** Addresses of the public Internet are given out of this block only. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** Public by its number, yet every machine of one large cloud reaches that cloud's own services there. */
const CLOUD_SERVICES = '168.63.129.16';

/**
 * Whether an IP address is one machine of the public Internet. Everything with a purpose of its own is not: private and
 * shared networks, this host, link-local (where clouds keep credentials), multicast, documentation, and each form of
 * IPv6 that carries an IPv4 address inside.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv6'
    ? (address as ipaddr.IPv6).match(GLOBAL_UNICAST)
    : address.toString() !== CLOUD_SERVICES;
}
