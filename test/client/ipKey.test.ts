import { ipKey } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:0:192.0.2.1", "192.0.2.1"],
  ["64:ff9b::192.0.2.1", "192.0.2.1"],
  ["64:ff9b::c000:201", "192.0.2.1"],
])("%s is the IPv4 address %s", (ip, key) => {
  expect(ipKey(ip)).toBe(key);
  expect(ipKey(ip, { v6Prefix: 48 })).toBe(key);
});

test.each([
  ["2001:db8::1", "2001:db8::/64"],
  ["2001:DB8:0:0:1:2:3:4", "2001:db8::/64"],
  ["2001:0db8:0000:00ab:ffff:ffff:ffff:ffff", "2001:db8:0:ab::/64"],
  ["2001:db8:0:ab::192.0.2.1", "2001:db8:0:ab::/64"],
  ["fe80::1", "fe80::/64"],
  ["::1", "::/64"],
  ["::192.0.2.1", "::/64"],
  ["::c000:201", "::/64"],
  ["::", "::/64"],
  // RFC 8215 gives this network to local use: where an IPv4 address stands in it is not known.
  ["64:ff9b:1::192.0.2.1", "64:ff9b:1::/64"],
  ["64:ff9b:1:1::192.0.2.1", "64:ff9b:1:1::/64"],
  ["64:ff9b:1:fffe::c000:201", "64:ff9b:1:fffe::/64"],
  ["64:ff9b::1:c000:201", "64:ff9b::/64"],
])("the network of %s is %s", (ip, key) => {
  expect(ipKey(ip)).toBe(key);
});

test.each([
  [128, "2001:db8:1:2:3:4:5:6/128"],
  [127, "2001:db8:1:2:3:4:5:6/127"],
  [56, "2001:db8:1::/56"],
  [48, "2001:db8:1::/48"],
  [33, "2001:db8::/33"],
  [1, "::/1"],
])("a prefix of %i gives %s", (v6Prefix, key) => {
  expect(ipKey("2001:db8:1:2:3:4:5:6", { v6Prefix })).toBe(key);
});

describe("ipKey throws", () => {
  test.each([
    "",
    " ",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "0x1.2.3.4",
    "256.1.1.1",
    "16909060",
    "1.2.3.4:80",
    "[::1]",
    "[::1]:80",
    "fe80::1%eth0",
    "1.2.3.4/24",
    "2001:db8::/64",
    "1.2.3.4, 5.6.7.8",
    "::1,::2",
    " 1.2.3.4",
    "::1\n",
    "1::2::3",
    "12345::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "::ffff:1.2.3",
    "::ffff:01.2.3.4",
    "::ffff:300.1.1.1",
    "1.2.3.4::",
    "localhost",
    "unknown",
  ])("for %j, which is no address", (ip) => {
    expect(() => ipKey(ip)).toThrow(
      `ipKey: ${JSON.stringify(ip)} is not an IP address.`,
    );
  });

  test.each([null, undefined, 1, ["1.2.3.4"]])(
    "for %j, which only code without types passes",
    (ip) => {
      expect(() => ipKey(ip as unknown as string)).toThrow(
        "is not an IP address.",
      );
    },
  );
});

test.each([0, -1, 129, 64.5, NaN, Infinity])(
  "ipKey throws for a prefix of %d, whatever the address",
  (v6Prefix) => {
    for (const ip of ["192.0.2.1", "2001:db8::1"]) {
      expect(() => ipKey(ip, { v6Prefix })).toThrow(
        `v6Prefix must be a whole number from 1 to 128, but is ${v6Prefix}.`,
      );
    }
  },
);

test("all addresses of a network share a key, and only they", () => {
  const group = fc.integer({ min: 0x2000, max: 0x3fff });
  const groups = fc.array(group, { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, groups, (a, b) => {
      const spell = (of: number[]) => of.map((n) => n.toString(16)).join(":");
      const neighbour = [...a.slice(0, 4), ...b.slice(4)];
      expect(ipKey(spell(neighbour))).toBe(ipKey(spell(a)));
      expect(ipKey(spell(a))).toBe(`${spell(a.slice(0, 4))}::/64`);
    }),
  );
});
