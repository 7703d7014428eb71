import { expect, test } from "bun:test";
import { inferKindFromText } from "#dc/exchange/netbox/where.ts";

test.each([
  ["Blade Chassis", "CHASSIS"],
  ["Blade enclosure", "CHASSIS"],
  ["Server chassis", "CHASSIS"],
  ["Blade Server", "BLADE"],
  ["Blade", "BLADE"],
  ["SAN Switch", "SWITCH"],
  ["storage-switch", "SWITCH"],
  ["KVM Switch", "KVM"],
  ["Static Transfer Switch", "TRANSFER_SWITCH"],
  ["LV Switchgear", "SWITCHGEAR"],
  ["Switched PDU", "RACK_PDU"],
  ["Server rack PDU", "RACK_PDU"],
  ["Storage Server", "STORAGE"],
  ["Camera server", "SERVER"],
  ["Console Server", "CONSOLE_SERVER"],
  ["Server Room Sensor / server room sensor", "SENSOR"],
  ["Access Switch", "SWITCH"],
  ["Core Router", "ROUTER"],
  ["UPS", "UPS"],
  ["Patch Panel", "PATCH_PANEL"],
  ["Coffee machine", undefined],
] as const)("inferKindFromText lets the longest phrase of %p decide", (words, kind) => {
  expect(inferKindFromText(words)).toBe(kind as never);
});
