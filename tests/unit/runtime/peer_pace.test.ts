import { describe, expect, test } from "bun:test";
import { ConnectionLimiter } from "#runtime/connections.ts";
import { PeerPace } from "#runtime/exchanges.ts";

/** The second at which a peer is given up that drains so many bytes per second of a large reply, or undefined. */
function givenUpAt(bytesPerS: number, isScarce: boolean): number | undefined {
  const pace = new PeerPace();
  for (let second = 0; second <= 120; second++) {
    if (pace.isTooSlow(50_000_000 - second * bytesPerS, second * 1000, isScarce)) return second;
  }
  return undefined;
}

describe("PeerPace", () => {
  test("gives up a peer that drains nothing or next to nothing, sooner while memory is scarce", () => {
    expect([givenUpAt(0, false), givenUpAt(100, false), givenUpAt(0, true)]).toEqual([30, 30, 5]);
  });

  test("is patient with a peer that is slow and steady", () => {
    expect([givenUpAt(5000, false), givenUpAt(5000, true)]).toEqual([undefined, undefined]);
  });

  test("starts anew when nothing waits any more", () => {
    const pace = new PeerPace();
    pace.isTooSlow(100, 0, false);
    expect(pace.isTooSlow(100, 29_000, false)).toBe(false);
    pace.reset();
    expect(pace.isTooSlow(100, 31_000, false)).toBe(false);
  });
});

describe("AddressLimit", () => {
  const limit = () => new ConnectionLimiter({ maxConnections: 200, maxPerAddress: 10, probeConnections: 64 });
  const admit = (addresses: ConnectionLimiter, address: string, count: number) =>
    Array.from({ length: count }, () => addresses.admitConnection(address)?.isExcess);

  test("serves so many connections of an address, a few more for probes, and then none", () => {
    const found = admit(limit(), "192.0.2.1", 80);

    expect(found).toEqual([...Array(10).fill(false), ...Array(64).fill(true), ...Array(6).fill(undefined)]);
  });

  test("takes a place back when its connection has left", () => {
    const addresses = limit();
    const first = addresses.admitConnection("192.0.2.1");
    admit(addresses, "192.0.2.1", 73);
    expect(addresses.admitConnection("192.0.2.1")).toBeUndefined();

    first?.release();

    expect(addresses.admitConnection("192.0.2.1")?.isExcess).toBe(true);
  });

  test("takes all addresses of one IPv6 subscriber for one, and others for others", () => {
    const addresses = limit();
    admit(addresses, "2001:db8:1:2::1", 5);
    admit(addresses, "2001:db8:1:2:ffff:1:2:3", 5);

    expect(addresses.admitConnection("2001:db8:1:2:8::9")?.isExcess).toBe(true);
    expect(addresses.admitConnection("2001:db8:1:3::1")?.isExcess).toBe(false);
    expect(addresses.admitConnection("::ffff:192.0.2.7")?.isExcess).toBe(false);
    expect(addresses.admitConnection("::1")?.isExcess).toBe(false);
  });
});
