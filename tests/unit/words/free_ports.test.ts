import { expect, test } from "bun:test";
import { listFreePorts } from "#words/names.ts";

const network = (type: string, free: number) => ({ isOutlet: false, type, free });
const outlet = (type: string, free: number) => ({ isOutlet: true, type, free });
const [SFP28, QSFP28, C13] = ["25gbase-x-sfp28", "100gbase-x-qsfp28", "iec-60320-c13"];

test.each<[ports: readonly Parameters<typeof listFreePorts>[0][number][], most: number, text: string]>([
  [[network(SFP28, 384), network(QSFP28, 64)], 1, "384 25G SFP28 and 1 more"],
  [[network(SFP28, 384), network(QSFP28, 64)], 2, "384 25G SFP28, 64 100G QSFP28"],
  [[network(QSFP28, 64), network(SFP28, 384)], 1, "384 25G SFP28 and 1 more"],
  [[outlet(C13, 500), network(SFP28, 384), network(QSFP28, 64)], 2, "500 IEC 60320 C13, 384 25G SFP28 and 1 more"],
  [[network(SFP28, 0), network(QSFP28, 64)], 1, "64 100G QSFP28"],
  [[network(SFP28, 10), network(SFP28, 5)], 1, "15 25G SFP28"],
  [[network("", 12)], 1, "12 network ports"],
  [[outlet("", 12)], 1, "12 outlets"],
  [[outlet("", 12), network("", 12)], 2, "12 outlets, 12 network ports"],
  [[network("odd", 3)], 1, "3 odd"],
  [[network(SFP28, 1)], 1, "1 25G SFP28"],
  [[network(SFP28, 0)], 1, "none"],
  [[], 1, "none"],
])("listFreePorts names types and adds up none of different types: %j, %i", (ports, most, text) => {
  expect(listFreePorts(ports, most)).toBe(text);
});
