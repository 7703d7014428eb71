import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { getResourceKey } from "#dc/model/ref.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcStore, DcWriter, StoredVersion } from "#dc/ports.ts";
import { cable, crac, device, fabricLink, rack } from "../../support/dc/arbitrary.ts";
import { PlainSite } from "../../support/dc/plain_site.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../../support/dc/stores.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

/** Reads between writes fill the transaction's cache; the same reads afterwards show whether a write left it wrong. */
type Step =
  | { readonly do: "look" }
  | { readonly do: "put"; readonly kind: ResourceKind; readonly resource: ResourceByKind[ResourceKind] }
  | { readonly do: "remove"; readonly kind: ResourceKind; readonly key: string }
  | { readonly do: "ahead"; readonly kind: ResourceKind; readonly resources: readonly ResourceByKind[ResourceKind][] }
  | { readonly do: "savepoint"; readonly steps: readonly Step[]; readonly fails: boolean };

const KINDS = { device, rack, crac, cable, fabric_link: fabricLink } as const;
const kind = fc.constantFrom<ResourceKind[]>("device", "device", "cable", "fabric_link", "rack", "crac");
const resourceOf = (of: ResourceKind) => KINDS[of] as fc.Arbitrary<ResourceByKind[ResourceKind]>;

const write: fc.Arbitrary<Step> = kind.chain((of) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: resourceOf(of).map((resource): Step => ({ do: "put", kind: of, resource })),
    },
    {
      weight: 2,
      arbitrary: resourceOf(of).map((one): Step => ({ do: "remove", kind: of, key: getResourceKey(one) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(resourceOf(of), { maxLength: 3 })
        .map((resources): Step => ({ do: "ahead", kind: of, resources })),
    },
  ),
);

const { steps } = fc.letrec<{ step: Step; steps: readonly Step[] }>((tie) => ({
  step: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant<Step>({ do: "look" }) },
    { weight: 6, arbitrary: write },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("savepoint" as const), steps: tie("steps"), fails: fc.boolean() }),
    },
  ),
  steps: fc.array(tie("step"), { maxLength: 8 }),
}));

const DEVICES = ["D1", "d2", "D3", "srv", "z9"];
const PORTS = ["eth0", "psu1", "CB/1"];
const KEYS: readonly (readonly [ResourceKind, string])[] = [
  ...DEVICES.map((code) => ["device", code.toLowerCase()] as const),
  ...["r1", "r2"].map((key) => ["rack", key] as const),
  ...["c1", "c2"].map((key) => ["crac", key] as const),
  ...["d1/eth0~d2/eth0", "d1/psu1~d2/CB/1", "d3/eth0~z9/eth0"].map((key) => ["cable", key] as const),
  ...["d1/~d2/", "d3/~srv/"].map((key) => ["fabric_link", key] as const),
];

const ALL_KEYS = Object.fromEntries(
  Object.keys(KINDS).map((of) => [of, KEYS.filter(([named]) => named === of).map(([, key]) => key)]),
) as Record<ResourceKind, string[]>;

type Reads = Pick<
  DcWriter,
  "stored" | "device" | "devicesInRack" | "childrenOf" | "cableAt" | "fabricLinksOf" | "feedDeclarer"
>;

/** Everything that a transaction caches, in the order of asking. */
async function lookThrough(reader: Reads | PlainSite): Promise<unknown> {
  const found: unknown[] = [];
  for (const code of DEVICES) found.push(await reader.device(code), await reader.fabricLinksOf(code));
  for (const [of, key] of KEYS) found.push(await reader.stored(of, key));
  for (const code of ["R1", "r2"]) found.push(await reader.devicesInRack(code));
  for (const code of ["D1", "d2"]) found.push(await reader.childrenOf(code));
  for (const deviceCode of DEVICES) {
    for (const portName of PORTS) found.push(await reader.cableAt({ deviceCode, portName }));
  }
  for (const feed of ["F1", "f2"]) found.push(await reader.feedDeclarer(feed));
  return found;
}

const TYPE = "lc";

/** Free ports are counted when a transaction ends. */
async function withPort(store: DcStore, hasFreePort: boolean): Promise<readonly string[]> {
  const query = { filter: { portType: TYPE, hasFreePort }, order: "code", descending: false, limit: 10 } as const;
  const { devices } = await store.read((reader) => reader.searchDevices(query));
  return devices.map(({ resource }) => resource.code);
}

class Undone extends Error {}

/** Takes the same steps on the transaction and on the map, and compares what both answer on the way. */
async function play(writer: DcWriter, site: PlainSite, list: readonly Step[], mark: { count: number }): Promise<void> {
  for (const step of list) {
    if (step.do === "look") expect(await lookThrough(writer)).toEqual(await lookThrough(site));
    else if (step.do === "put") {
      mark.count += 1;
      const stored = { resource: step.resource, etag: `e${mark.count}`, createTime: "T0", updateTime: "T1" };
      const read = mark.count % 2 === 0 ? await site.stored(step.kind, getResourceKey(step.resource)) : undefined;
      await writer.put(step.kind, stored as never, (read as { resource?: never } | undefined)?.resource);
      site.put(step.kind, stored);
    } else if (step.do === "remove") {
      await writer.remove(step.kind, step.key);
      site.remove(step.kind, step.key);
    } else if (step.do === "ahead") await writer.preloadResources(step.kind, step.resources);
    else await inSavepoint(writer, site, step, mark);
  }
}

async function inSavepoint(
  writer: DcWriter,
  site: PlainSite,
  { steps: inner, fails }: Extract<Step, { do: "savepoint" }>,
  mark: { count: number },
): Promise<void> {
  const before = site.mark();
  const work = writer.savepoint(async () => {
    await play(writer, site, inner, mark);
    if (fails) throw new Undone();
  });
  if (!fails) return work;
  await expect(work).rejects.toBeInstanceOf(Undone);
  site.goBack(before);
}

const opened: DcStore[] = [];
afterAll(async () => {
  for (const store of opened) await store.close();
});

/** One site is carried on through all transactions, so that later ones meet what earlier ones left. */
async function holdsAgainstMap(store: DcStore, runs: number): Promise<void> {
  opened.push(store);
  const site = new PlainSite();
  const mark = { count: 0 };
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (list, fails) => {
      const before = site.mark();
      const done = store.write(async (writer) => {
        await play(writer, site, list, mark);
        expect(await lookThrough(writer)).toEqual(await lookThrough(site));
        if (fails) throw new Undone();
      });
      if (fails) {
        await expect(done).rejects.toBeInstanceOf(Undone);
        site.goBack(before);
      } else await done;
      expect(await store.read(lookThrough)).toEqual(await lookThrough(site));
      for (const free of [true, false]) expect(await withPort(store, free)).toEqual(await site.withPort(TYPE, free));
    }),
    // A failure that depends on earlier runs cannot be made smaller.
    { numRuns: runs, endOnFailure: true },
  );
}

test("a transaction on SQLite reads what a plain map holds after every write, removal and undone savepoint", async () => {
  await holdsAgainstMap(await openTemporarySqlite(), LAW_RUNS * 2);
});

test("a transaction on PostgreSQL reads what a plain map holds after every write, removal and undone savepoint", async () => {
  await holdsAgainstMap(await openTemporaryPostgres(), Math.ceil(LAW_RUNS / 2));
});

/** Every read that a draft answers. */
async function everyRead(writer: DcWriter): Promise<readonly unknown[]> {
  const found: unknown[] = [await lookThrough(writer), await writer.revision()];
  for (const code of DEVICES) found.push(await writer.childrenOf(code), await writer.storedCablesOf(code));
  for (const some of [DEVICES, ["d1", "D3"]]) {
    found.push(await writer.devices(some), await writer.powerDevices(some));
    found.push(await writer.cablesOfAll(some), await writer.powerCablesOf(some));
    found.push(await writer.powerInventory({ ...ALL_KEYS, device: some.map((code) => code.toLowerCase()), cable: [] }));
  }
  found.push(await writer.powerInventory(ALL_KEYS));
  found.push(await writer.consumersOf(["feed:F1", "feed:f2", "device:D1", "port:D2/CB/1"]));
  for (const tag of ["T1", "T2"])
    for (const of of ["device", "rack"] as const) found.push(await writer.assetTagHolder(of, tag));
  for (const site of ["S1", "s2"])
    for (const floor of [0, 1, -1])
      found.push(await writer.racksOnFloor(site, floor), await writer.cracsOnFloor(site, floor));
  for (const [space, key] of DOCUMENTS) found.push(await writer.document(space, key));
  for (const limit of [1, 10])
    found.push(await writer.documents("one", "", limit), await writer.documents("one", "a", limit));
  return JSON.parse(JSON.stringify(found));
}

const DOCUMENTS = [
  ["one", "a"],
  ["one", "b"],
  ["two", "a"],
] as const;

/** @param isRead whether the version before is read and given too */
async function putAsRead(writer: DcWriter, kind: ResourceKind, stored: StoredVersion<never>, isRead: boolean) {
  const was = isRead ? await writer.stored(kind, getResourceKey(stored.resource)) : undefined;
  await writer.put(kind, stored, was?.resource as never);
}

/** Takes the steps and asks everything after each of them. */
async function answers(writer: DcWriter, list: readonly Step[], at = 0): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const [index, step] of list.entries()) {
    const stored = (resource: unknown) => ({ resource, etag: `e${at}.${index}`, createTime: "T0", updateTime: "T1" });
    if (step.do === "put") await putAsRead(writer, step.kind, stored(step.resource) as never, index % 2 === 0);
    else if (step.do === "remove") await writer.remove(step.kind, step.key);
    else if (step.do === "ahead") await writer.preloadResources(step.kind, step.resources);
    else if (step.do === "savepoint") {
      const work = writer.savepoint(async () => {
        found.push(await answers(writer, step.steps, at + 1));
        if (step.fails) throw new Undone();
      });
      await work.catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
    } else {
      const [space, key] = DOCUMENTS[(index + at) % DOCUMENTS.length] ?? DOCUMENTS[0];
      if ((await writer.document(space, key)) === undefined) await writer.putDocument(space, key, `${at}.${index}`);
      else await writer.dropDocument(space, key);
    }
    found.push(await everyRead(writer));
  }
  return found;
}

async function draftsAnswerAsWrites(store: DcStore, runs: number): Promise<void> {
  opened.push(store);
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, drafted) => {
      await store.write((writer) => answers(writer, before));
      const was = await store.draft(everyRead);
      const written: unknown[] = [];
      const undone = store.write(async (writer) => {
        written.push(...(await answers(writer, drafted)));
        throw new Undone();
      });
      await expect(undone).rejects.toBeInstanceOf(Undone);

      const answered = await store.draft((writer) => answers(writer, drafted));

      expect(answered).toEqual(written);
      expect(await store.draft(everyRead)).toEqual(was);
    }),
    { numRuns: runs, endOnFailure: true },
  );
}

test("a draft on SQLite answers every read as a write does, and leaves nothing behind", async () => {
  await draftsAnswerAsWrites(await openTemporarySqlite(), Math.ceil(LAW_RUNS / 5));
});

test("a draft on PostgreSQL answers every read as a write does, and leaves nothing behind", async () => {
  await draftsAnswerAsWrites(await openTemporaryPostgres(), Math.ceil(LAW_RUNS / 20));
});

test("a draft goes on beside a write, on the snapshot from before it", async () => {
  const store = await openTemporarySqlite();
  opened.push(store);
  const stored = { resource: { code: "R1", uHeight: 42 }, etag: "e", createTime: "T0", updateTime: "T1" };

  const [before, after] = await store.draft(async (draft) => {
    const first = await draft.rack("R1");
    await store.write((writer) => writer.put("rack", stored as never));
    await draft.put("rack", { ...stored, resource: { code: "R2", uHeight: 40 } } as never);
    return [first, await draft.rack("R1")];
  });

  expect([before, after]).toEqual([undefined, undefined]);
  expect(await store.read(async (reader) => [await reader.rack("R1"), await reader.rack("R2")])).toMatchObject([
    { code: "R1" },
    undefined,
  ]);
});
