import ipaddr from "ipaddr.js";

/** The length of the prefix of one IPv6 network, most often one household. */
const V6_PREFIX = 64;

/**
 * The key of an IP address, for limits per caller: the same for all spellings of an address. IPv4
 * stays as it is. IPv4 in IPv6 (`::ffff:192.0.2.1`, `64:ff9b::192.0.2.1`) becomes IPv4. IPv6
 * becomes its network, since a caller with one address has a whole network of them: `2001:db8::1`
 * becomes `2001:db8::/64`.
 *
 * ```ts
 * const { ip } = await ctx.meta.getRequestMetadata();
 * const key = ip === null ? "no address" : ipKey(ip);
 * ```
 *
 * @param ip One address, without a port, a zone or a prefix length.
 * @throws An `Error` that names the text that is not such an address, or the bad `v6Prefix`.
 */
export function ipKey(
  ip: string,
  {
    v6Prefix = V6_PREFIX,
  }: {
    /**
     * How many bits of an IPv6 address to keep. A whole number from 1 to 128. Some providers give
     * one customer a whole /56 or /48.
     * @default 64
     */
    v6Prefix?: number | undefined;
  } = {},
): string {
  if (!Number.isInteger(v6Prefix) || v6Prefix < 1 || v6Prefix > 128) {
    throw new Error(
      `ipKey: v6Prefix must be a whole number from 1 to 128, but is ${v6Prefix}.`,
    );
  }
  const address = parse(ip);
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(
    `${address.toString()}/${v6Prefix}`,
  );
  return `${network.toRFC5952String()}/${v6Prefix}`;
}

/** The IPv6 networks whose last 32 bits are an IPv4 address: RFC 4291, 2765 and 6052. */
const V4_IN_V6 = ["::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"].map(
  (network) => ipaddr.IPv6.parseCIDR(network),
);

function parse(ip: string): ipaddr.IPv4 | ipaddr.IPv6 {
  if (typeof ip === "string") {
    if (isIPv4(ip)) return ipaddr.IPv4.parse(ip);
    const inHex = withoutDots(ip);
    // Refuses a zone, which the library would accept.
    if (/^[\da-f:]+$/i.test(inHex) && ipaddr.IPv6.isValid(inHex)) {
      const address = ipaddr.IPv6.parse(inHex);
      return V4_IN_V6.some((network) => address.match(network))
        ? new ipaddr.IPv4(address.toByteArray().slice(12))
        : address;
    }
  }
  throw new Error(`ipKey: ${JSON.stringify(ip)} is not an IP address.`);
}

function isIPv4(ip: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(ip);
}

/** An IPv6 address all in hexadecimal; its last 32 bits may have been written as IPv4. */
function withoutDots(ip: string): string {
  const v4 = ip.slice(ip.lastIndexOf(":") + 1);
  if (!isIPv4(v4)) return ip;
  const [a, b, c, d] = ipaddr.IPv4.parse(v4).octets.map((octet) =>
    octet.toString(16).padStart(2, "0"),
  );
  return ip.slice(0, -v4.length) + `${a}${b}:${c}${d}`;
}
