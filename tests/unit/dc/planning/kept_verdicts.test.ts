import { expect, test } from "bun:test";
import { Topology } from "#dc/analysis/topology.ts";
import { compareSiteStates, computeDomains } from "#dc/analysis/window/domains.ts";
import { runAllSteps } from "#kernel/clock.ts";
import { sampleSite } from "../../../support/dc/agreeing_sites.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";

// tests/laws/dc/stored_windows.test.ts compares verdicts that passed with fresh ones.

test("changeOf leaves the domains of another hall untouched, and names the devices at a data cable", async () => {
  const store = await storeOf(sampleSite(44));
  const { devices, ...others } = await store.read((reader) => reader.powerInventory());
  const before = Topology.createFromInventory({ devices, ...others });
  const servers = devices.filter(({ kind }) => kind === "SERVER");
  const [first, last] = [servers[0], servers.at(-1)];
  if (first === undefined || last === undefined) throw new Error("No servers");
  const keys = { device: [first.code.toLowerCase()], rack: [], crac: [], cable: [], fabric_link: [] };
  const none = { racks: [], cracs: [], cables: [], fabricLinks: [] };
  const after = before.createChanged(keys, { ...none, devices: [{ ...first, allocatedDrawW: 1 }] });
  const domainOf = ({ code }: { readonly code: string }) =>
    runAllSteps(computeDomains(after))[after.power.indexOf.get(`device:${code.toLowerCase()}`) ?? -1] ?? -1;

  const change = runAllSteps(compareSiteStates(before, after, [`device:${first.code}`]));
  const cable = runAllSteps(compareSiteStates(before, before, [`cable:${first.code}/eth0~${last.code}/eth0`]));

  expect(domainOf(first)).not.toBe(domainOf(last));
  for (const touched of change.touchedDomains) expect(touched).toEqual(new Set([domainOf(first)]));
  expect([...cable.devices].sort()).toEqual([first.code.toLowerCase(), last.code.toLowerCase()].sort());
});
