import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { netboxInventory } from "../support/dc/netbox/inventory.ts";
import { emptyFolder } from "../support/dc_server.ts";
import { runPlanner } from "../support/planner_command.ts";

const cwd = emptyFolder();

async function sync(...flags: readonly string[]) {
  const words = ["dc", "import", "--from", "netbox", "lists", "--db", "d.sqlite", "--json", ...flags];
  const { code, stdout } = await runPlanner(words, { cwd });
  const { counts, unreadable } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  const deleted = counts.reduce((sum: number, one: { deleted: number }) => sum + one.deleted, 0);
  return { code, deleted, unreadable };
}

test("--prune deletes nothing while a page or a list of the source is missing", async () => {
  const { lists } = netboxInventory();
  const write = (name: string, value: unknown) => writeFileSync(join(cwd, "lists", name), JSON.stringify(value));
  mkdirSync(join(cwd, "lists"));
  for (const [path, list] of lists) write(`${path.split("/")[1]}.json`, { count: list.length, results: list });
  const devices = lists.get("dcim/devices") ?? [];
  await sync();

  const whole = await sync("--prune");
  write("devices.json", {
    count: devices.length,
    next: "https://netbox.example/?offset=2",
    results: devices.slice(0, 2),
  });
  const page = await sync("--prune");
  write("devices-2.json", { results: devices.slice(2), count: devices.length });
  const pages = await sync("--prune");
  rmSync(join(cwd, "lists", "devices.json"));
  rmSync(join(cwd, "lists", "devices-2.json"));
  const missing = await sync("--prune");
  write("devices.json", []);
  const emptied = await sync("--prune");
  const allowed = await sync("--prune", "--prune-limit", "100");

  expect([whole, pages]).toEqual(Array(2).fill({ code: 0, deleted: 0, unreadable: [] }));
  expect(page).toMatchObject({ code: 1, deleted: 0 });
  expect(page.unreadable[0]).toMatchObject({
    file: "lists/devices.json",
    reason: `the list has ${devices.length} elements, and its files 2: expected all of its pages`,
  });
  expect(missing).toMatchObject({ code: 1, deleted: 0 });
  expect(missing.unreadable[0].reason).toContain("there is no list of dcim/devices");
  expect(emptied).toMatchObject({ code: 1, deleted: 0 });
  expect(allowed.code).toBe(0);
  expect(allowed.deleted).toBeGreaterThan(devices.length);
});
