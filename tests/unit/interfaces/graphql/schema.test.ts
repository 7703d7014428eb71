import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import type { GraphQLInputObjectType } from "graphql";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { buildGraphqlSchema, convertFieldNames } from "#interfaces/graphql/schema.ts";
import { type Served, served } from "../../../support/dc/served.ts";
import { eachTest } from "../../../support/each_test.ts";
import { http1 } from "../../../support/http_client.ts";

async function ask(at: Served, query: string, variables: object = {}) {
  const { text } = await http1(`${at.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
    body: JSON.stringify({ query, variables }),
  });
  return JSON.parse(text);
}

const RACK = `mutation { upsertRack(rack: { code: "R1", location: { siteId: "S1", floorNumber: 1 }, labels: { a: "b" } }) {
  outcome rack { code status uHeight labels createTime } warnings { code } } }`;
const DEVICE = `mutation($device: DeviceInput!) { upsertDevice(device: $device) { outcome device { code kind face tags } } }`;
const SERVER = { code: "D1", kind: "SERVER", rackCode: "R1" };

const at = eachTest(served);

describe("The GraphQL schema", () => {
  test("has the contract's queries and mutations, and one field for every RPC", () => {
    const schema = buildGraphqlSchema();
    const queries = Object.keys(schema.getQueryType()?.getFields() ?? {});
    const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});

    expect(queries).toEqual(
      (
        "powerBlastRadius traceCablePath rack thermalHeadroom fabricTopology floorPlan searchDevices device port " +
        "render deviceType listDeviceTypes searchDeviceTypes rehearseFailures listInventory searchInventory " +
        "findPlacement capacity checkWindow window listWindows listReadings listFindings listNotices"
      ).split(" "),
    );
    expect(queries.length + mutations.length).toBe(DatacenterService.methods.length + PlanningService.methods.length);
    expect(mutations).toContain("bulkDeleteCracs");
    expect(String(schema.getQueryType()?.getFields()["searchDevices"]?.type)).toBe("DevicePage");
    expect(String(schema.getMutationType()?.getFields()["bulkUpsertRacks"]?.type)).toBe("BulkResult");
  });

  test("writes and reads back, enumerations without prefix and unset ones as null", async () => {
    const rack = await ask(at, RACK);
    const device = await ask(at, DEVICE, { device: SERVER });
    const read = await ask(at, '{ device(code: "D1") { device { code rackCode kind status } powerLoadW } }');

    expect(rack.data.upsertRack).toMatchObject({
      outcome: "CREATED",
      rack: { code: "R1", labels: { a: "b" }, createTime: "2026-01-02T03:04:05Z" },
      warnings: [],
    });
    expect(device.data.upsertDevice).toEqual({
      outcome: "CREATED",
      device: { code: "D1", kind: "SERVER", face: null, tags: [] },
    });
    expect(read.data.device.device).toEqual({ code: "D1", rackCode: "R1", kind: "SERVER", status: "ACTIVE" });
  });

  test("writes under its own name into the change log", async () => {
    await ask(at, RACK);

    const [entry] = await at.site.store.read((reader) => reader.history({ descending: false, limit: 1 }));

    expect(entry?.request).toMatchObject({ interface: "GRAPHQL", method: "UpsertRack" });
  });

  test("tells a refusal by code, reason and field", async () => {
    const { data, errors } = await ask(at, 'mutation { upsertRack(rack: { code: "no/slash" }) { outcome } }');

    expect(data).toEqual({ upsertRack: null });
    expect(errors[0]).toMatchObject({
      path: ["upsertRack"],
      extensions: { code: "BAD_USER_INPUT", reason: "INVALID_CODE", violations: [{ field: "rack.code" }, {}] },
    });
  });

  test("names fields of arguments and of items as GraphQL spells them, and keys of maps as they are given", async () => {
    const rack = (fields: string) => `{ code: "R1", location: { siteId: "S1", floorNumber: 1 } ${fields} }`;
    const long = "v".repeat(256);
    const bulk = `bulkUpsertRacks(items: [${rack("")}, ${rack('code: "R2" uHeight: 500').replace('code: "R1", ', "")}])`;

    const one = await ask(
      at,
      `mutation($l: JSON) { upsertRack(rack: ${rack("startingUnit: 0 labels: $l")}) { outcome } }`,
      {
        l: { a_b: long },
      },
    );
    const many = await ask(at, `mutation { ${bulk} { results { error { details } } } }`);
    const wrong = await ask(at, "mutation { bulkUpsertRacks(items: [{ labels: { a_b: 1 } }]) { failed } }");

    expect(one.errors[0].extensions.violations.map(({ field }: { readonly field: string }) => field)).toEqual([
      "rack.startingUnit",
      "rack.labels[a_b]",
    ]);
    expect(many.data.bulkUpsertRacks.results[0].error).toBeNull();
    expect(many.data.bulkUpsertRacks.results[1].error.details).toMatchObject([
      { metadata: { field: "items[1].uHeight" } },
      { fieldViolations: [{ field: "items[1].uHeight" }] },
    ]);
    expect(wrong.errors[0].extensions.violations[0].field).toBe("items[0].labels[a_b]");
  });

  test.each([
    ["Racks", { code: "R2", uHeight: 500 }, 'Field "uHeight"'],
    ["Racks", { code: "R2", startingUnit: 0 }, 'Field "startingUnit"'],
    ["Racks", { code: "R2", mountingDepthMm: -1 }, 'Field "mountingDepthMm"'],
    ["Racks", { code: "R2", powerCapacityW: -1 }, 'Field "powerCapacityW"'],
    ["Racks", { code: "R2", location: null }, 'Field "location"'],
    ["Devices", { code: "D2", positionU: 3, kind: "SERVER", rackCode: "R1", uHeight: -1 }, 'Field "uHeight"'],
    [
      "Devices",
      { code: "D2", kind: "SERVER", rackCode: "R1", maxDrawW: 1, allocatedDrawW: 5 },
      'Field "allocatedDrawW"',
    ],
    ["Devices", { code: "D2", kind: "SERVER", rackCode: "R1", measuredDrawW: -1 }, 'Field "measuredDrawW"'],
    // What the caller wrote stays, also where it is the name of a field.
    ["Racks", { code: "u_height/" }, '"u_height/"'],
    ["Racks", { code: "R2", labels: { max_draw_w: "v".repeat(256) } }, "labels[max_draw_w]"],
    ["Devices", { code: "D2", kind: "SERVER", rackCode: "rack_code" }, "rack_code"],
    ["Devices", { code: "D2", kind: "SERVER", rackCode: "R1", parentDeviceCode: "max_draw_w" }, "max_draw_w"],
  ])("Bulk%s tells of %j with fields as the caller writes them", async (what, item, told) => {
    await ask(at, RACK);
    const type = what === "Racks" ? "RackInput" : "DeviceInput";
    const bulk = `mutation($items: [${type}!]) { bulkUpsert${what}(items: $items) { results { error { message details } } } }`;
    const place = what === "Racks" ? { location: { siteId: "S1", floorNumber: 1 } } : {};
    const { data } = await ask(at, bulk, { items: [{ ...place, ...item }] });

    const { message, details } = data[`bulkUpsert${what}`].results[0].error;
    const texts = JSON.stringify([message, details]).replaceAll('\\"', '"');
    const written: readonly string[] = JSON.stringify(item).match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    expect(texts).toContain(told);
    expect([...new Set(texts.match(/\b[a-z]+(?:_[a-z]+)+\b/g))]).toEqual([...written]);
  });

  for (const [what, query, told] of [
    ["a moment that is none", '{ searchDevices(filter: { updatedSince: "yesterday" }) { totalCount } }', "RFC 3339"],
    ["a number that is too large", "{ searchDevices(pageSize: 9999999999) { totalCount } }", "9999999999"],
    ["an unknown word", "{ searchDevices(filter: { kinds: [TOASTER] }) { totalCount } }", "TOASTER"],
    ["an unknown field", '{ searchDevices(filter: { colour: "red" }) { totalCount } }', "colour"],
    ["a label that is no text", "mutation { upsertRack(rack: { labels: { a: 1 } }) { outcome } }", "labels"],
    ["a mask that is none", 'mutation { upsertRack(updateMask: "a..b", rack: {}) { outcome } }', ""],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const { errors } = await ask(at, query);

      expect(errors[0].message).toContain(told);
      expect(errors[0].message).not.toBe("Internal error");
      expect(at.defects).toEqual([]);
    });
  }

  const RACKS = "mutation($racks: [RackInput!]) { bulkUpsertRacks(items: $racks) { failed } }";
  for (const [what, query, variables, field] of [
    ["a number", "{ searchDevices(pageSize: 9999999999) { totalCount } }", {}, "pageSize"],
    ["a word", "{ searchDevices(filter: { kinds: [SERVER, TOASTER] }) { totalCount } }", {}, "filter.kinds[1]"],
    ["a moment", '{ searchDevices(filter: { updatedSince: "now" }) { totalCount } }', {}, "filter.updatedSince"],
    ["an unknown field", '{ searchDevices(filter: { colour: "red" }) { totalCount } }', {}, "filter.colour"],
    ["an unknown argument", "{ searchDevices(size: 1) { totalCount } }", {}, "size"],
    ["a variable", "query($s: Int) { searchDevices(pageSize: $s) { totalCount } }", { s: "x" }, "pageSize"],
    ["a variable that is missing", "query($s: Int!) { searchDevices(pageSize: $s) { totalCount } }", {}, "pageSize"],
    [
      "a part of an argument that is a variable",
      "query($t: DateTime) { searchDevices(filter: { updatedSince: $t }) { totalCount } }",
      { t: "yesterday" },
      "filter.updatedSince",
    ],
    [
      "a part of a variable",
      RACKS,
      { racks: [{}, { location: { floorNumber: "1" } }] },
      "items[1].location.floorNumber",
    ],
    ["an item that is null", RACKS, { racks: [null] }, "items[0]"],
    ["an unknown field in a variable", RACKS, { racks: [{ location: { a_b: 1 } }] }, "items[0].location.a_b"],
    [
      "an unknown field that is nearly right",
      RACKS,
      { racks: [{ location: { site_id: 1 } }] },
      "items[0].location.site_id",
    ],
    [
      "a variable within a list",
      "query($k: DeviceKind) { searchDevices(filter: { kinds: [SERVER, $k] }) { totalCount } }",
      {},
      "filter.kinds[1]",
    ],
    [
      "a variable that a fragment uses",
      "query($s: Int) { ...all } fragment all on Query { searchDevices(pageSize: $s) { totalCount } }",
      { s: true },
      "pageSize",
    ],
  ] as const) {
    test(`names the argument of ${what} that it cannot read`, async () => {
      const { errors } = await ask(await served(), query, variables);

      const [{ message, extensions }] = errors;
      const reason = what.startsWith("an unknown") ? "UNKNOWN_FIELD" : "FIELD_OUT_OF_RANGE";
      expect(extensions).toEqual({
        code: "BAD_USER_INPUT",
        reason,
        violations: [{ reason, field, message, ref: "" }],
      });
    });
  }

  test("describes types, fields, arguments and values as the proto does, and says which arguments are required", () => {
    const schema = buildGraphqlSchema();
    const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
    const typeOf = (field: string, argument: string) =>
      String(fields[field]?.args.find(({ name }) => name === argument)?.type);

    expect(
      Object.values(fields)
        .filter(({ description }) => !description)
        .map(({ name }) => name),
    ).toEqual([]);
    expect(schema.getType("Rack")?.description).toBe("A frame or cabinet that holds devices.");
    expect(schema.getType("DeviceKind")?.description).toBe("What a device is.");
    expect(fields["rack"]?.args.find(({ name }) => name === "duringWindow")?.description).toStartWith(
      "Answer as during",
    );
    expect([typeOf("rack", "code"), typeOf("rack", "face"), typeOf("upsertRack", "rack")]).toEqual([
      "String!",
      "Face",
      "RackInput!",
    ]);
    // An upsert with a mask changes a part of what is stored.
    const input = schema.getType("RackInput") as GraphQLInputObjectType;
    expect(String(input.getFields()["code"]?.type)).toBe("String");
  });

  for (const [text, written] of [
    [
      'Field "subject_ref" is required: expected floor:<site_id>/<floor_number>',
      'Field "subjectRef" is required: expected floor:<site_id>/<floor_number>',
    ],
    ["Set rack_code or location", "Set rackCode or location"],
    [
      "Cannot read device.ports[3].speed_mbps: expected a number",
      "Cannot read device.ports[3].speedMbps: expected a number",
    ],
    ["max_items is 5000: expected 0 to 1000", "maxItems is 5000: expected 0 to 1000"],
    ['Cannot find rack "rack_code"', 'Cannot find rack "rack_code"'],
    ["Cannot find rack:rack_code", "Cannot find rack:rack_code"],
    ["no_field_of_ours stays", "no_field_of_ours stays"],
    ["Cannot find device D_1", "Cannot find device D_1"],
  ] as const) {
    test(`writes ${text} in the names of arguments`, () => expect(convertFieldNames(text)).toBe(written));
  }

  for (const [query, reason, told] of [
    ["{ rack { rack { code } } }", "REQUIRED_FIELD", "is required"],
    ["{ rack(code: 5) { rack { code } } }", "FIELD_OUT_OF_RANGE", "expected a text"],
    ['{ searchDevices(pageSize: "5") { totalCount } }', "FIELD_OUT_OF_RANGE", "expected a number"],
    ["{ powerBlastRadius(sourceRef: true) { truncated } }", "FIELD_OUT_OF_RANGE", "expected a text"],
  ] as const) {
    test(`refuses ${query} in plain words`, async () => {
      const { errors } = await ask(at, query);

      expect([errors[0].extensions.reason, errors[0].message]).toEqual([reason, expect.stringContaining(told)]);
    });
  }

  test("names each of several wrong values, and no argument for what is about none", async () => {
    const query =
      "query($a: Int, $b: Int!, $c: String!) { searchDevices(pageSize: $a) { totalCount } d: device(code: $c) { powerLoadW } e: searchDevices(pageSize: $b) { totalCount } }";

    const wrong = await ask(at, query, { a: "x", c: 5 });
    const many = await ask(at, RACKS, { racks: Array.from({ length: 5000 }, () => 1) });
    const nothing = await ask(at, "{ nothing }");

    const fields = ({ errors }: typeof wrong): readonly unknown[] =>
      errors.map(({ extensions }: { readonly extensions: JsonObject }) => extensions["violations"]);
    expect(fields(wrong)).toMatchObject([[{ field: "pageSize" }], [{ field: "pageSize" }], [{ field: "code" }]]);
    const listed = many.errors.slice(0, -1);
    expect(fields({ errors: listed })).toMatchObject(
      listed.map((_: unknown, index: number) => [{ field: `items[${index}]` }]),
    );
    expect(many.errors.at(-1).message).toMatch(/^\d+ more are not listed$/);
    expect(JSON.stringify(many).length).toBeLessThanOrEqual(4096);
    expect(nothing.errors[0].extensions).toEqual({ code: "BAD_USER_INPUT", reason: "MALFORMED_REQUEST" });
  });

  test("says nothing of a defect but reports it", async () => {
    const error = new Error("secret of the inside");
    at.site.store.read = () => Promise.reject(error);

    const { errors } = await ask(at, '{ device(code: "D1") { powerLoadW } }');

    expect(errors[0]).toMatchObject({ message: "Internal error", extensions: { code: "INTERNAL_SERVER_ERROR" } });
    expect(JSON.stringify(errors)).not.toContain("secret");
    expect(at.defects).toEqual([{ method: "GetDevice", error }]);
  });

  test("runs mutations in turn, and one that is refused keeps no other back", async () => {
    const rack = (code: string) =>
      `upsertRack(rack: { code: "${code}", location: { siteId: "S1", floorNumber: 1 } }) { outcome }`;

    const { data, errors } = await ask(at, `mutation { a: ${rack("R1")} b: ${rack("no/slash")} c: ${rack("R1")} }`);

    expect(data).toEqual({ a: { outcome: "CREATED" }, b: null, c: { outcome: "UNCHANGED" } });
    expect(errors).toHaveLength(1);
  });
});
