import { expect, test } from "bun:test";
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

/** Values just beyond what a field's limits allow. */
function listValuesBeyond({ min, above, max, step, numbers, length, type }: FormField): readonly (number | string)[] {
  const small = type === "int" ? 1 : (step ?? 0.5);
  return [
    ...(min === undefined ? [] : [above === true ? min : min - small]),
    ...(max === undefined ? [] : [max + small]),
    ...(step === undefined ? [] : [10 + step / 2]),
    ...(numbers === undefined ? [] : [Math.max(...numbers) + 1]),
    ...(length === undefined ? [] : ["x".repeat(length + 1)]),
  ];
}

test("a form refuses what is beyond the limits of a field", () => {
  const limited = Object.values(FORMS).flatMap((fields) => fields.filter(({ output }) => output !== true));
  const beyond = limited.flatMap((field) => listValuesBeyond(field).map((value) => [field, value] as const));

  expect(beyond.length).toBeGreaterThan(40);
  for (const [field, value] of beyond) expect(describeValueError(value, field)).not.toBe("");
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
