import { expect, test } from "bun:test";
import { type DescField, type DescMessage, getOption, type JsonObject } from "@bufbuild/protobuf";
import { allRpcs } from "#dc/operations/index.ts";
import { rule } from "#gen/datacenter/v1/rules_pb.ts";
import { goodRequests } from "../../support/dc/good_requests.ts";
import { smallSite } from "../../support/dc/small_site.ts";

function isPresent(field: DescField): boolean {
  return getOption(field, rule).present;
}

/** Hears of every field with the rule `present` in a reply, and whether it is there. */
function visit(desc: DescMessage, reply: JsonObject, hear: (field: string, isThere: boolean) => void): void {
  if (desc.typeName.startsWith("google.")) return;
  for (const field of desc.fields) {
    const value = reply[field.name];
    if (isPresent(field)) hear(`${desc.name}.${field.name}`, value !== undefined);
    const { message } = field;
    if (message === undefined || field.fieldKind === "map" || value === undefined) continue;
    for (const one of [value].flat()) visit(message, one as JsonObject, hear);
  }
}

function markedIn(desc: DescMessage, found = new Set<string>(), seen = new Set<DescMessage>()): ReadonlySet<string> {
  if (seen.has(desc)) return found;
  seen.add(desc);
  for (const field of desc.fields) {
    if (isPresent(field)) found.add(`${desc.name}.${field.name}`);
    if (field.message !== undefined) markedIn(field.message, found, seen);
  }
  return found;
}

const begin = Date.now() + 3_600_000;
const window = {
  code: "MW-1",
  element_refs: ["device:SRV-1"],
  starts_at: new Date(begin).toISOString(),
  ends_at: new Date(begin + 3_600_000).toISOString(),
};
const type = { code: "acme-1u", manufacturer: "Acme", model: "1U", kind: "DEVICE_KIND_SERVER" };

/** In this order: the type and the window are asked for once they are stored. */
const REQUESTS: Readonly<Record<string, JsonObject>> = {
  ...goodRequests,
  UpsertDeviceType: { device_type: type },
  GetDeviceType: { code: type.code },
  UpsertWindow: { window },
  GetWindow: { code: window.code },
  ListWindows: {},
};

/** Messages that no answer about the small site has: it has no split cable, no receiver of notices and no rack with a free supply. */
const UNMET = ["Branch.from", "Branch.to", "DevicePlace.after", "TestNoticeResponse.notice"];

test("replies hold every message with the rule `present`", async () => {
  const { call } = await smallSite();
  const heard: [string, boolean][] = [];
  for (const [name, request] of Object.entries(REQUESTS)) {
    const method = allRpcs.find((rpc) => rpc.method.name === name)?.method;
    if (method === undefined) throw new Error(`There is no RPC "${name}"`);
    visit(method.output, await call(name, request), (field, isThere) => heard.push([field, isThere]));
  }
  const marked = allRpcs.flatMap(({ method }) => [...markedIn(method.output)]);

  expect(heard.filter(([, isThere]) => !isThere)).toEqual([]);
  expect(new Set([...UNMET, ...heard.map(([field]) => field)])).toEqual(new Set(marked));
});
