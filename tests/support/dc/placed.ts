import type { JsonObject } from "@bufbuild/protobuf";
import type { Inventory } from "#dc/model/inventory.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { openMemory } from "./memory/store.ts";
import { type TestService, testService } from "./service.ts";

interface Warning {
  readonly code: string;
  readonly ref?: string;
}

/** The part of an answer of FindPlacement that tests write. */
export interface PlacedAnswer {
  readonly placed?: number;
  readonly places?: readonly { readonly device: JsonObject; readonly cables?: readonly JsonObject[] }[];
  readonly announced?: readonly Warning[];
}

/** Warnings and errors that writing an answer caused and that it did not announce: first tried, then done. */
export async function unannounced({ call }: TestService, answer: PlacedAnswer): Promise<readonly unknown[]> {
  const { places = [], announced = [] } = answer;
  if (places.length === 0) return [];
  const known = new Set(announced.map(({ code, ref }) => `${code} ${ref}`));
  const isNew = ({ code, ref }: Warning) => !known.has(`${code} ${ref}`);
  const items = places.map(({ device }) => device);
  const found: unknown[] = [];
  for (const validateOnly of [true, false]) {
    const reply = await call("BulkUpsertDevices", { items, atomic: true, validate_only: validateOnly });
    for (const { code, error, warnings = [] } of reply.results) {
      if (error !== undefined) found.push({ code, error: error.message });
      found.push(...warnings.filter(isNew).map((warning: Warning) => ({ code, warning })));
    }
  }
  for (const cable of places.flatMap(({ cables = [] }) => cables)) {
    for (const validateOnly of [true, false]) {
      const { warnings = [] } = await call("UpsertCable", { cable, validate_only: validateOnly });
      found.push(...warnings.filter(isNew).map((warning: Warning) => ({ cable, warning })));
    }
  }
  return found;
}

export async function serviceOn(inventory: Inventory): Promise<TestService> {
  const store = openMemory();
  await store.write(async (writer) => {
    const put = async <Kind extends ResourceKind>(kind: Kind, resources: readonly ResourceByKind[Kind][]) => {
      for (const resource of resources) {
        const time = "2026-01-01T00:00:00.000Z";
        await writer.put(kind, { resource, etag: "x", createTime: time, updateTime: time });
      }
    };
    await put("rack", inventory.racks);
    await put("device", inventory.devices);
    await put("crac", inventory.cracs);
    await put("cable", inventory.cables);
  });
  return testService({ store });
}
