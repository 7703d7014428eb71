import type { JsonObject } from "@bufbuild/protobuf";
import { Topology } from "#dc/analysis/topology.ts";
import type { DeviceStatus, Screen } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey, parseRef } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { SCREEN_PICTURES } from "#dc/operations/render.ts";
import type { ReadSession } from "#dc/operations/rpc.ts";
import type { DcStore } from "#dc/ports.ts";
import { SCREEN_DRAWINGS } from "#dc/render/read_options.ts";
import type { Element } from "#dc/render/scene.ts";
import { drawOptions, wordsOf } from "./pictures.ts";
import { START, type TestService, testService } from "./service.ts";

const PAGE = 1000;

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

export interface Pictured {
  /** The facts about an element, by its reference. */
  readonly of: (ref: string) => Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

/** A site whose every interface is asked about the same things. */
export class WalkedSite {
  readonly name: string;
  private readonly service: TestService;
  private readonly topology: Topology;
  private readonly store: DcStore;

  private constructor(name: string, store: DcStore, service: TestService, topology: Topology) {
    this.name = name;
    this.store = store;
    this.service = service;
    this.topology = topology;
  }

  static async of(name: string, store: DcStore): Promise<WalkedSite> {
    const topology = Topology.createFromInventory(await store.read((reader) => reader.inventory()));
    return new WalkedSite(name, store, await testService({ store }), topology);
  }

  /** Runs something on the same site with a device in another status, written past the rules, and puts the device back. */
  async withStatus<T>(code: string, status: DeviceStatus, run: (site: WalkedSite) => Promise<T>): Promise<T> {
    const device = await this.store.read((reader) => reader.stored("device", codeKey(code)));
    if (device === undefined) throw new Error(`No device ${code}`);
    const put = (resource: Device) => this.store.write((writer) => writer.put("device", { ...device, resource }));
    await put({ ...device.resource, status });
    try {
      return await run(await WalkedSite.of(`${this.name}, ${code} ${status}`, this.store));
    } finally {
      await put(device.resource);
    }
  }

  get inventory(): Inventory {
    return this.topology.inventory;
  }

  call(rpc: string, request: JsonObject): Promise<Json> {
    return this.service.call(rpc, request);
  }

  /** All rows of a kind. */
  async rows(kind: string): Promise<readonly Json[]> {
    const found: Json[] = [];
    for (;;) {
      const request = { kind: `INVENTORY_KIND_${kind}`, page_size: PAGE, skip: found.length };
      const { rows = [] } = await this.call("ListInventory", request);
      found.push(...rows);
      if (rows.length < PAGE) return found;
    }
  }

  /** Codes of all devices that a filter finds. */
  async found(filter: JsonObject): Promise<ReadonlySet<string>> {
    const codes = new Set<string>();
    let token = "";
    do {
      const reply = await this.call("SearchDevices", { filter, page_size: PAGE, page_token: token });
      for (const { code } of reply.devices ?? []) codes.add(code);
      token = reply.next_page_token ?? "";
    } while (token !== "");
    return codes;
  }

  /** What a picture says. */
  async pictured(screen: Screen, ref: string): Promise<Pictured> {
    const draw = await SCREEN_DRAWINGS[screen].load();
    const shown = await this.store.read<unknown>((reader) =>
      SCREEN_PICTURES[screen](
        parseRef(ref) as never,
        {
          context: {} as ReadSession["context"],
          reader,
          scheduler: new CooperativeScheduler(),
          topology: async () => this.topology,
          now: START,
          lapsesAt: () => {},
        },
        "HEALTH",
      ),
    );
    const { elements, scene } = draw(shown as never, drawOptions({ maxNodes: 5000 }));
    const facts = new Map(elements.map((element: Element) => [element.ref, Object.fromEntries(element.facts)]));
    return { of: (asked) => facts.get(asked) ?? {}, words: wordsOf(scene.items) };
  }
}
