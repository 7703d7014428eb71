import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { getResourceKey } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { DcStore, DeviceQuery } from "#dc/ports.ts";
import { NOW, putAll, stored } from "../support/dc/stored.ts";
import { changeLogContract } from "./dc_store_log.ts";
import { noticesContract } from "./dc_store_notices.ts";
import { readingsContract } from "./dc_store_readings.ts";

const query = (parts: Partial<DeviceQuery> = {}): DeviceQuery => ({
  filter: {},
  order: "code",
  descending: false,
  limit: 10,
  ...parts,
});

const server = (code: string, parts: Partial<Device> = {}): Device => ({
  code,
  kind: "SERVER",
  role: "compute",
  ...parts,
});

/** What every store promises, whichever database is behind it. */
export function dcStoreContract(name: string, open: () => Promise<DcStore>): void {
  describe(`${name} store`, () => {
    let store: DcStore;

    beforeEach(async () => {
      store = await open();
    });

    afterEach(async () => {
      await store.close();
    });

    test("gives back what was put, found whatever the case of its code", async () => {
      const device = server("Srv-1", {
        ports: [
          { name: "b", kind: "NETWORK" },
          { name: "a", kind: "POWER_IN" },
        ],
      });

      await store.write((writer) => writer.put("device", stored(device)));

      expect(await store.read((reader) => reader.device("sRV-1"))).toEqual(device);
      expect(await store.read((reader) => reader.stored("device", "srv-1"))).toEqual(stored(device));
    });

    test("gives the inventory in pages, each resource once and with its own ports", async () => {
      const codes = ["b", "A", "a-1", "C", "a"]
        .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
        .slice(1);
      const devices = codes.map((code) => server(code, { ports: [{ name: `p-${code}`, kind: "NETWORK" as const }] }));
      await store.write((writer) => putAll(writer, "device", devices));

      const found = await store.read(async (reader) => {
        const list: Device[] = [];
        for (let after = ""; ; ) {
          const page = await reader.page("device", after, 2);
          list.push(...page);
          const last = page.at(-1);
          if (last === undefined) return list;
          after = getResourceKey(last);
        }
      });

      expect(found).toEqual(devices);
    });

    test("replaces a resource whole, its ports included", async () => {
      await store.write((writer) =>
        writer.put("device", stored(server("S", { name: "old", ports: [{ name: "a", kind: "POWER_IN" }] }))),
      );

      await store.write((writer) => writer.put("device", stored(server("S"))));

      expect(await store.read((reader) => reader.device("S"))).toEqual(server("S"));
    });

    test("counts what there is by floor, spelling a site as its records do", async () => {
      const location = { siteId: "Ams1", floorNumber: -1 };
      const cable = { a: { deviceCode: "L", portName: "e1" }, b: { deviceCode: "S", portName: "e1" } };

      await store.write(async (writer) => {
        await writer.put("rack", stored({ code: "A", location }));
        await writer.put("rack", stored({ code: "B", location: { siteId: "Ams1", floorNumber: 2 } }));
        await writer.put("device", stored(server("S", { location })));
        await writer.put("device", stored(server("L", { location })));
        await writer.put("cable", stored(cable));
        await writer.put("fabric_link", stored({ ...cable, fabricId: "F" }));
      });

      const { floors, links, cables } = await store.read((reader) => reader.inventoryCounts());
      expect(floors.toSorted((a, b) => a.floorNumber - b.floorNumber)).toEqual([
        { siteId: "Ams1", floorNumber: -1, rack: 1, crac: 0, device: 2 },
        { siteId: "Ams1", floorNumber: 2, rack: 1, crac: 0, device: 0 },
      ]);
      expect({ links, cables }).toEqual({ links: ["F"], cables: 1 });
    });

    test("keeps nothing of a transaction that threw", async () => {
      const work = store.write(async (writer) => {
        await writer.put("device", stored(server("S")));
        await writer.raiseRevision();
        throw new Error("changed my mind");
      });

      await expect(work).rejects.toThrow("changed my mind");
      expect(await store.read((reader) => reader.device("S"))).toBeUndefined();
      expect(await store.read((reader) => reader.revision())).toBe(0);
    });

    test("undoes a savepoint that threw and keeps what was before and after it", async () => {
      await store.write(async (writer) => {
        await writer.put("device", stored(server("before")));
        const inner = writer.savepoint(async () => {
          await writer.put("device", stored(server("inside")));
          await writer.savepoint(() => writer.put("device", stored(server("deeper"))));
          throw new Error("no");
        });
        await expect(inner).rejects.toThrow("no");
        await writer.put("device", stored(server("after")));
      });

      const page = await store.read((reader) => reader.searchDevices(query()));
      expect(page.devices.map(({ resource }) => resource.code)).toEqual(["after", "before"]);
    });

    test("sees its own writes at once, and what an undone savepoint has left", async () => {
      await store.write((writer) => writer.put("device", stored(server("S", { name: "old", rackCode: "R" }))));

      const seen = await store.write(async (writer) => {
        const names: unknown[] = [(await writer.device("S"))?.name, (await writer.devicesInRack("R")).length];
        await writer.put("device", stored(server("S", { name: "new" })));
        names.push((await writer.device("S"))?.name, (await writer.devicesInRack("R")).length);
        await writer
          .savepoint(async () => {
            await writer.remove("device", "s");
            names.push(await writer.device("S"));
            throw new Error("no");
          })
          .catch(() => {});
        names.push((await writer.device("S"))?.name);
        return names;
      });

      expect(seen).toEqual(["old", 1, "new", 0, undefined, "new"]);
    });

    test("runs writes one after the other, none losing another's change", async () => {
      const raise = () => store.write(async (writer) => writer.raiseRevision());

      const seen = await Promise.all([raise(), raise(), raise(), raise()]);

      expect(seen.toSorted()).toEqual([1, 2, 3, 4]);
    });

    test("finds a feed's declarer, and consumers by every kind of source", async () => {
      const panel = server("RPP", {
        kind: "RPP",
        ports: [{ name: "CB/1", kind: "POWER_OUT", powerOut: { feedId: "F-1" } }],
      });
      const load = server("L", {
        ports: [
          { name: "p1", kind: "POWER_IN", powerIn: { sourceRef: "feed:F-1" } },
          { name: "p2", kind: "POWER_IN", powerIn: { sourceRef: "port:RPP/CB/1" } },
        ],
      });
      const unit = {
        code: "C1",
        kind: "CRAH" as const,
        sensibleCapacityKw: 1,
        powerInputs: [{}, { sourceRef: "feed:f-1" }],
      };
      await store.write(async (writer) => {
        await putAll(writer, "device", [panel, load]);
        await putAll(writer, "crac", [unit]);
      });

      const found = await store.read(async (reader) => ({
        declarer: await reader.feedDeclarer("f-1"),
        feed: await reader.consumersOf(["feed:F-1"]),
        outlet: await reader.consumersOf(["port:rpp/CB/1"]),
        otherCase: await reader.consumersOf(["port:rpp/cb/1"]),
      }));

      expect(found).toEqual({
        declarer: { deviceCode: "RPP", portName: "CB/1" },
        feed: [
          { kind: "device", code: "L", inlet: "p1" },
          { kind: "crac", code: "C1", inlet: "1" },
        ],
        outlet: [{ kind: "device", code: "L", inlet: "p2" }],
        otherCase: [],
      });
    });

    test("finds a cable at both of its ends until it is removed", async () => {
      const cable = { a: { deviceCode: "A", portName: "x/1" }, b: { deviceCode: "B", portName: "y" } };
      await store.write(async (writer) => {
        await putAll(writer, "device", [server("A"), server("B")]);
        await writer.put("cable", stored(cable));
      });

      expect(await store.read((reader) => reader.cableAt({ deviceCode: "a", portName: "x/1" }))).toEqual(cable);
      expect(await store.read((reader) => reader.cablesOf("B"))).toEqual([cable]);

      await store.write((writer) => writer.remove("cable", getResourceKey(cable)));

      expect(await store.read((reader) => reader.cableAt(cable.b))).toBeUndefined();
      expect(await store.read((reader) => reader.cablesOf("A"))).toEqual([]);
    });

    test("pages join to the whole, with the same counts on every page", async () => {
      const codes = ["a1", "A2", "b1", "B2", "c-3", "c.1"];
      await store.write((writer) =>
        putAll(
          writer,
          "device",
          codes.map((code, index) => server(code, { role: index % 2 === 0 ? "leaf" : "spine" })),
        ),
      );

      const seen: string[] = [];
      let after: DeviceQuery["after"];
      do {
        const page = await store.read((reader) => reader.searchDevices(query({ limit: 4, ...(after && { after }) })));
        seen.push(...page.devices.map(({ resource }) => resource.code));
        expect([page.total, Object.fromEntries(page.roleCounts)]).toEqual([6, { leaf: 3, spine: 3 }]);
        after = page.next;
      } while (after !== undefined);

      expect(seen).toEqual(["a1", "A2", "b1", "B2", "c-3", "c.1"]);
    });

    changeLogContract(() => store);
    noticesContract(() => store);

    readingsContract(() => store);

    test("remembers an answer per principal and forgets old ones", async () => {
      const request = { principal: "p", requestId: "r", method: "M", fingerprint: "f", reply: "{}", createdAt: NOW };
      await store.write((writer) => writer.remember(request));

      expect(await store.read((reader) => reader.remembered("p", "r"))).toEqual(request);
      expect(await store.read((reader) => reader.remembered("q", "r"))).toBeUndefined();

      await store.write((writer) => writer.forget("2026-01-02T03:04:06.000Z"));

      expect(await store.read((reader) => reader.remembered("p", "r"))).toBeUndefined();
    });

    test("knows a delivered row version again, and which entry of the log it was matched with", async () => {
      const delivery = { table: "rack", rowKey: '["r1"]', mark: "1.0", seq: 7, receivedAt: NOW };
      await store.write((writer) => writer.keepDelivery(delivery));

      const asked = await store.read((reader) =>
        Promise.all([
          reader.delivered("rack", '["r1"]', "1.0"),
          reader.delivered("rack", '["r1"]', "2.0"),
          reader.delivered("crac", '["r1"]', "1.0"),
          reader.witnessed(7),
          reader.witnessed(8),
        ]),
      );
      expect(asked).toEqual([true, false, false, true, false]);
    });

    test("keeps dead letters, newest first, unless their transaction is undone", async () => {
      const letter = (id: string, receivedAt: string) => ({ id, receivedAt, feed: "f", reason: "broken", body: "{}" });
      const [old, young, lost] = [letter("b", NOW), letter("a", "2026-02-01T00:00:00.000Z"), letter("c", NOW)];
      await store.write(async (writer) => {
        await writer.keepDeadLetter(old);
        await writer.keepDeadLetter(young);
      });
      const undone = store.write(async (writer) => {
        await writer.keepDeadLetter(lost);
        await writer.keepDelivery({ table: "rack", rowKey: "[]", mark: "1", seq: 1, receivedAt: NOW });
        throw new Error("undo");
      });

      await expect(undone).rejects.toThrow("undo");
      expect(await store.read((reader) => reader.deadLetters(10))).toEqual([young, old]);
      expect(await store.read((reader) => reader.deadLetters(1))).toEqual([young]);
      expect(await store.read((reader) => reader.countDeadLetters())).toBe(2);
      expect(await store.read((reader) => reader.deadLetter(old.id))).toEqual(old);

      await store.write((writer) => writer.dropDeadLetter(old.id));
      await store
        .write(async (writer) => {
          await writer.dropDeadLetter(young.id);
          throw new Error("undo");
        })
        .catch(() => {});

      expect(await store.read((reader) => reader.deadLetters(10))).toEqual([young]);
      expect(await store.read((reader) => reader.deadLetter(old.id))).toBeUndefined();
      expect(await store.read((reader) => reader.delivered("rack", "[]", "1"))).toBe(false);
    });

    test("tells the revision that a read would see", async () => {
      const beside = await store.write(async (writer) => {
        await writer.raiseRevision();
        // What is not committed yet is nobody's business; in memory there is nothing beside a write.
        return name === "memory" ? 0 : store.revision();
      });

      expect(beside).toBe(0);
      expect([await store.revision(), await store.read((reader) => reader.revision())]).toEqual([1, 1]);
    });

    test("refuses work after it was closed", async () => {
      const other = await open();
      await other.close();

      await expect(other.revision()).rejects.toThrow("closed");

      await expect(other.read((reader) => reader.revision())).rejects.toThrow("closed");
    });
  });
}
