import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import {
  type EditableKind,
  formatIdentity,
  getMessageName,
  type ResourceValues,
} from "#web/console/edit/form_model.ts";
import { buildUpdateChange } from "#web/console/edit/proposal.ts";
import { applyDifferences, listDifferences } from "#web/console/edit/states.ts";
import { isEqualValue, removeUnsetFields } from "#web/console/edit/values.ts";
import type { TestService } from "../../support/dc/service.ts";
import { smallSite } from "../../support/dc/small_site.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

/** `null` leaves a value out, as a form does. */
const FREE = { name: ["", "x", "<b>"], tenant: ["", "acme"], comments: ["", "c"], tags: [[], ["a"], ["a", "b"]] };
const LABELS = [{}, { a: "1" }, { a: "2", b: "3" }];
const WATTS = [null, 0, 100];

function changed(state: ResourceValues, random: SeededRandom, kind: EditableKind): ResourceValues {
  const texts = Object.fromEntries(Object.entries(FREE).map(([name, values]) => [name, random.pick<unknown>(values)]));
  const { ports = [] } = state as { readonly ports?: readonly ResourceValues[] };
  const own = {
    device: {
      ...texts,
      heat_w: random.pick(WATTS),
      ports: ports.map((port) => ({ ...port, label: random.pick(["", "l"]), enabled: random.pick([null, true]) })),
    },
    rack: { ...texts, weight_kg: random.pick(WATTS), role: random.pick(["", "compute"]) },
    crac: {
      name: random.pick(["", "x"]),
      max_draw_w: random.pick([null, 9000]),
      derate_pct: random.pick([90, 100]),
    },
    cable: { label: random.pick(["", "x"]), length_m: random.pick([null, 2]), color: random.pick(["", "ff0000"]) },
    fabric_link: { lag: random.pick(["", "po1"]), error_count: random.pick([null, 0, 7]) },
    device_type: {},
    window: { title: random.pick(["", "x"]), accepted_refs: random.pick([[], ["rack:R1"], ["rack:R1", "rack:R2"]]) },
  }[kind];
  return { ...state, ...own, labels: random.pick(LABELS) };
}

const SUBJECTS: readonly (readonly [EditableKind, ResourceValues])[] = [
  ["device", { code: "SRV-1" }],
  ["device", { code: "LEAF-1" }],
  ["rack", { code: "R1" }],
  ["window", { code: "MW-1" }],
  ["cable", { a: { device_code: "LEAF-1", port_name: "e1" }, b: { device_code: "SPINE-1", port_name: "e1" } }],
  ["fabric_link", { a: { device_code: "LEAF-1", port_name: "e1" }, b: { device_code: "SPINE-1", port_name: "e1" } }],
];

async function siteWithWindow(): Promise<TestService> {
  const site = await smallSite();
  const [starts_at, ends_at] = ["2099-11-28T20:00:00Z", "2099-11-28T22:00:00Z"];
  await site.call("UpsertWindow", { window: { code: "MW-1", element_refs: ["rack:R1"], starts_at, ends_at } });
  return site;
}

async function storedIn(
  { service }: TestService,
  kind: EditableKind,
  identity: ResourceValues,
): Promise<ResourceValues> {
  const ref = `${kind}:${formatIdentity(kind, identity)}`;
  const [found] = await service.readStoredResources([ref], { interface: "REST" });
  return found?.resource ?? {};
}

test("applying the differences between two states to the first gives the second", async () => {
  const random = new SeededRandom(11);
  const site = await siteWithWindow();
  for (let run = 0; run < LAW_RUNS; run += 1) {
    const [kind, identity] = random.pick(SUBJECTS);
    const message = getMessageName(kind);
    const stored = await storedIn(site, kind, identity);
    const [before, after] = [changed(stored, random, kind), changed(stored, random, kind)];
    const made = applyDifferences(before, listDifferences(before, after, message));
    expect(removeUnsetFields(made, message)).toEqual(removeUnsetFields(after, message));
  }
});

test("what the service stores after an edit is what the form shows", async () => {
  const random = new SeededRandom(12);
  const site = await siteWithWindow();
  for (let run = 0; run < LAW_RUNS; run += 1) {
    const [kind, identity] = random.pick(SUBJECTS);
    const message = getMessageName(kind);
    const before = await storedIn(site, kind, identity);
    const after = changed(before, random, kind);
    const change = buildUpdateChange(kind, { before, after }, String(before["etag"]));
    const { results } = await site.call("ApplyChanges", { changes: [change as JsonObject] });
    expect(removeUnsetFields(await storedIn(site, kind, identity), message)).toEqual(removeUnsetFields(after, message));
    const isUnchanged = isEqualValue(removeUnsetFields(before, message), removeUnsetFields(after, message));
    expect(results[0].outcome).toBe(isUnchanged ? "OUTCOME_UNCHANGED" : "OUTCOME_UPDATED");
  }
});
