import { beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import { COMMENTS } from "#gen/datacenter/v1/comments.ts";
import { FORMS } from "#gen/datacenter/v1/forms.ts";
import {
  describeFieldLimits,
  EDITABLE_KINDS,
  type FormField,
  formatHelpText,
  getFieldLabel,
  getFieldUnit,
  getMessageName,
  listEnumChoices,
  listKindFields,
  listMessageFields,
} from "#web/console/edit/form_model.ts";
import { describeValueError } from "#web/console/edit/values.ts";
import { cable, crac, device, link, ported, rack } from "../../../support/dc/rule_requests.ts";
import type { TestService } from "../../../support/dc/service.ts";
import { end, smallSite } from "../../../support/dc/small_site.ts";

let site: TestService;
beforeAll(async () => {
  site = await smallSite();
});

/** Where a field's values go in a request, one row per message. */
const PLACES: readonly (readonly [string, readonly FormField[], string, (values: JsonObject) => JsonObject])[] = [
  ["UpsertDevice", listMessageFields("Device"), "device.", device],
  ["UpsertDevice", listMessageFields("PowerSpec"), "device.power.", (power) => device({ power })],
  [
    "UpsertDevice",
    listMessageFields("Port"),
    "device.ports[0].",
    (port) => ported({ name: "p", kind: "PORT_KIND_REAR", ...port }),
  ],
  [
    "UpsertDevice",
    listMessageFields("PowerOut"),
    "device.ports[0].power_out.",
    (power_out) => ported({ name: "p", kind: "PORT_KIND_POWER_OUT", power_out }),
  ],
  ["UpsertRack", listMessageFields("Rack"), "rack.", rack],
  ["UpsertCrac", listMessageFields("Crac"), "crac.", crac],
  [
    "UpsertCable",
    listMessageFields("Cable"),
    "cable.",
    (parts) => cable(end("LEAF-1", "e2"), end("SPINE-1", "e2"), parts),
  ],
  [
    "UpsertFabricLink",
    listMessageFields("FabricLink"),
    "fabric_link.",
    (parts) => link(end("LEAF-1", "e2"), end("SPINE-1", "e2"), parts),
  ],
];

/** Values just beyond what a field's limits allow. */
function beyond({ min, above, max, step, numbers, length, type }: FormField): readonly JsonValue[] {
  const small = type === "int" ? 1 : (step ?? 0.5);
  return [
    ...(min === undefined ? [] : [above === true ? min : min - small]),
    ...(max === undefined ? [] : [max + small]),
    ...(step === undefined ? [] : [10 + step / 2]),
    ...(numbers === undefined ? [] : [Math.max(...numbers) + 1]),
    ...(length === undefined ? [] : ["x".repeat(length + 1)]),
  ];
}

const LIMITED = PLACES.flatMap(([rpc, fields, around, request]) =>
  fields
    .filter(({ shape, required, name }) => shape === "one" && !(required === true && name === "code"))
    .flatMap((field) =>
      beyond(field).map((value) => {
        const path = `${around}${field.name}`;
        return [path, String(value).slice(0, 9), { rpc, field, request, value, path }] as const;
      }),
    ),
);

describe("The limits of forms", () => {
  test("are many, so that the next test says something", () => {
    expect(LIMITED.length).toBeGreaterThan(40);
  });

  test.each(LIMITED)(
    "the server refuses %s = %s, as the form does",
    async (_, __, { rpc, field, request, value, path }) => {
      expect(describeValueError(value, field)).not.toBe("");

      const asked = { ...request({ [field.name]: value }), validate_only: true };
      const error: unknown = await site.call(rpc, asked).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(Refusal);
      expect((error as Refusal).violations.map((one) => one.field)).toContain(path);
    },
  );
});

const commentOf = (message: string, field: string) => COMMENTS[`datacenter.v1.${message}.${field}`] ?? "";

test("a field's help names every limit that its rule sets", () => {
  const unnamed = Object.entries(FORMS).flatMap(([message, fields]) =>
    fields.flatMap(({ name, min, max, step, length, numbers = [] }) =>
      [min, max, step, length, ...numbers]
        .filter((limit) => limit !== undefined && !commentOf(message, name).replaceAll(",", "").includes(String(limit)))
        .map((limit) => `${message}.${name}: ${limit}`),
    ),
  );

  expect(unnamed).toEqual([]);
});

test("every kind of the contract can be created and edited, and every field is named in words", () => {
  for (const kind of EDITABLE_KINDS) {
    expect(FORMS[getMessageName(kind)]).toBeDefined();
    for (const field of listKindFields(kind)) {
      expect(`${getFieldLabel(field)} ${formatHelpText(commentOf(field.message, field.name))}`).not.toMatch(
        /_|^ |Required\./,
      );
    }
  }
});

test("fields that the server computes are no part of a form", () => {
  const names = listMessageFields("Rack").map(({ name }) => name);
  expect(names).toContain("reservations");
  expect(names).not.toContain("etag");
  expect(names).not.toContain("health");
});

test("labels leave the unit to the unit", () => {
  const field = (name: string) => listMessageFields("Device").find((one) => one.name === name) as FormField;
  expect([getFieldLabel(field("allocated_draw_w")), getFieldUnit(field("allocated_draw_w"))]).toEqual([
    "Planned draw",
    "W",
  ]);
  expect([getFieldLabel(field("inlet_temp_c")), getFieldUnit(field("inlet_temp_c"))]).toEqual(["Inlet temp", "°C"]);
  expect(describeFieldLimits(field("u_height"))).toBe("0 to 100 in steps of 0.5 U");
  expect(formatHelpText(commentOf("Device", "allocated_draw_w"))).toBe("Draw to plan with; at most greatest draw.");
});

test("values of an enumeration read as words", () => {
  expect(listEnumChoices("Redundancy")).toEqual([
    ["REDUNDANCY_NONE", "None"],
    ["REDUNDANCY_N", "N"],
    ["REDUNDANCY_N_PLUS_1", "N+1"],
    ["REDUNDANCY_TWO_N", "2N"],
  ]);
});
