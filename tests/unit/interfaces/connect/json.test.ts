import { describe, expect, test } from "bun:test";
import { fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { BadRequestSchema, ErrorInfoSchema, ResourceInfoSchema } from "#gen/google/rpc/error_details_pb.ts";
import { type Served, served } from "../../../support/dc/served.ts";
import { eachTest } from "../../../support/each_test.ts";
import { http1 } from "../../../support/http_client.ts";

const SERVICE = "datacenter.v1.DatacenterService";
const LOCATION = { site_id: "S1", floor_number: 1 };
const RACK = { code: "R1", location: LOCATION };
const server = (code: string) => ({ code, kind: "DEVICE_KIND_SERVER", rack_code: "R1" });

function post(at: Served, rpc: string, body: unknown, headers: Record<string, string> = {}) {
  return http1(`${at.url}/${SERVICE}/${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

async function json(at: Served, rpc: string, body: unknown, headers?: Record<string, string>) {
  const { status, text } = await post(at, rpc, body, headers);
  return { status, body: JSON.parse(text) };
}

interface WireDetail {
  readonly type: string;
  readonly value: string;
}

function info(details: readonly WireDetail[]) {
  const found = details.find(({ type }) => type === "google.rpc.ErrorInfo");
  const { reason, domain, metadata } = fromBinary(ErrorInfoSchema, base64Decode(found?.value ?? ""));
  return { reason, domain, metadata };
}

function badFields(details: readonly WireDetail[]) {
  const found = details.find(({ type }) => type === "google.rpc.BadRequest");
  return fromBinary(BadRequestSchema, base64Decode(found?.value ?? "")).fieldViolations.map(({ field }) => field);
}

const at = eachTest(served);

describe("Connect JSON", () => {
  test("takes both spellings and answers in snake_case with zero values", async () => {
    await post(at, "UpsertRack", { rack: RACK });

    const snake = await json(at, "UpsertDevice", { device: server("D1") });
    const camel = await json(at, "UpsertDevice", {
      device: { code: "D2", kind: "DEVICE_KIND_SERVER", rackCode: "R1" },
    });

    expect([snake.status, camel.status]).toEqual([200, 200]);
    expect(snake.body).toMatchObject({
      outcome: "OUTCOME_CREATED",
      warnings: [],
      device: { code: "D1", rack_code: "R1", serial: "", tags: [], labels: {} },
    });
    expect(camel.body.device.rack_code).toBe("R1");
  });

  test("writes the details of a refusal in snake_case with zero values too, as JSON beside their bytes", async () => {
    const unread = await json(at, "UpsertRack", { rack: { code: "no code", location: LOCATION } });
    const missing = await json(at, "GetRack", { code: "R9" });

    expect(unread.body.details[1].debug).toMatchObject({ field_violations: [{ field: "rack.code" }] });
    expect(missing.body.details[1].debug).toMatchObject({ resource_type: "rack", resource_name: "R9", owner: "" });
  });

  test("says who wrote, through which interface and from where in the change log", async () => {
    const at = await served({ authRequired: true });

    await post(
      at,
      "UpsertRack",
      { rack: RACK },
      {
        authorization: "Bearer writer",
        "user-agent": "check/1",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      },
    );

    const [entry] = await at.site.store.read((reader) => reader.history({ descending: false, limit: 1 }));
    expect(entry?.actor).toMatchObject({ principal: "writer", roles: ["writer"], authMethod: "token" });
    expect(entry?.request).toMatchObject({
      interface: "REST",
      method: "UpsertRack",
      clientIp: "127.0.0.1",
      userAgent: "check/1",
      traceId: "0af7651916cd43dd8448eb211c80319c",
    });
  });

  test("refuses an unknown field of a change, naming it, and writes nothing", async () => {
    const { status, body } = await json(at, "UpsertRack", { rack: { ...RACK, colour: "red" } });

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "invalid_argument", message: 'Rack has no field "colour"' });
    expect(info(body.details)).toEqual({
      reason: "UNKNOWN_FIELD",
      domain: "datacenter.v1",
      metadata: { field: "rack.colour" },
    });
    expect(badFields(body.details)).toEqual(["rack.colour"]);
    expect(await at.site.store.read((reader) => reader.revision())).toBe(0);
  });

  test("ignores an unknown field of a question", async () => {
    const { status, body } = await json(at, "SearchDevices", { colour: "red", filter: { shade: 1 } });

    expect(status).toBe(200);
    expect(body).toEqual({ devices: [], next_page_token: "", total_count: 0, role_counts: {} });
  });

  test("names the field whose value has the wrong type", async () => {
    const { status, body } = await json(at, "UpsertDevice", { device: { ...server("D1"), max_draw_w: "many" } });

    expect(status).toBe(400);
    expect(info(body.details)).toMatchObject({
      reason: "FIELD_OUT_OF_RANGE",
      metadata: { field: "device.max_draw_w" },
    });
    expect(badFields(body.details)).toEqual(["device.max_draw_w"]);
  });

  test("names a word that an enumeration of a change does not have, with those that it has", async () => {
    const { status, body } = await json(at, "UpsertDevice", { device: { ...server("D1"), face: "SIDE" } });

    const expected = "expected one of FACE_UNSPECIFIED, FACE_FRONT, ";
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining(`Cannot read device.face "SIDE": ${expected}`),
    ]);
    expect(badFields(body.details)).toEqual(["device.face"]);
  });

  // The full name, the word alone or the number, in a list, in a message and in reads, which ignore unknown fields.
  for (const [rpc, sent, status, told] of [
    ["UpsertDevice", { device: { ...server("D1"), kind: "SERVER" } }, 200, "DEVICE_KIND_SERVER"],
    ["UpsertDevice", { device: { ...server("D1"), face: "FRONT" } }, 200, "FACE_FRONT"],
    ["UpsertDevice", { device: { ...server("D1"), kind: 1 } }, 200, "DEVICE_KIND_"],
    ["UpsertDevice", { device: { ...server("D1"), name: "SERVER", serial: "FRONT" } }, 200, '"name":"SERVER"'],
    ["UpsertDevice", { device: { ...server("D1"), labels: { kind: "SERVER" } } }, 200, '{"kind":"SERVER"}'],
    ["BulkUpsertDevices", { items: [{ ...server("D1"), status: "ACTIVE" }], mode: "ATOMIC" }, 400, "mode"],
    ["SearchDevices", { filter: { kinds: ["SERVER", "DEVICE_KIND_RACK_PDU"] } }, 200, "total_count"],
    ["GetRack", { code: "R1", render: { format: "SVG", theme: "DARK" } }, 200, "RENDER_FORMAT_SVG"],
    ["GetRack", { code: "R1", render: { format: "svg" } }, 400, 'Cannot read render.format \\"svg\\": expected one of'],
    ["GetRack", { code: "R1", render: { format: "PDF" } }, 400, 'Cannot read render.format \\"PDF\\": expected one of'],
    ["UpsertDevice", { device: { ...server("D1"), kind: "DEVICE_KIND_DEVICE_KIND_SERVER" } }, 400, "device.kind"],
    ["UpsertDevice", { device: { ...server("D1"), kind: "" } }, 400, "device.kind"],
    ["UpsertDevice", { device: { ...server("D1"), max_draw_w: "SERVER" } }, 400, "expected a number"],
  ] as const) {
    test(`reads words of enumerations in ${JSON.stringify(sent).slice(0, 80)}`, async () => {
      await post(at, "UpsertRack", { rack: RACK });

      const { status: given, text } = await post(at, rpc, sent);

      expect([given, text]).toEqual([status, expect.stringContaining(told)]);
    });
  }

  for (const [what, sent] of [
    ["no JSON", "{"],
    ["a list", "[]"],
    ["bytes that are no UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ["nothing", ""],
  ] as const) {
    test(`refuses ${what} as a body`, async () => {
      const { status, body } = await json(at, "UpsertRack", sent);

      expect(status).toBe(400);
      expect(body.code).toBe("invalid_argument");
      expect(info(body.details).reason).toBe("MALFORMED_MESSAGE");
      expect(at.defects).toEqual([]);
    });
  }

  test("tells what is missing by ErrorInfo and ResourceInfo", async () => {
    const { status, body } = await json(at, "GetDevice", { code: "D9" });

    expect(status).toBe(404);
    expect(body).toMatchObject({ code: "not_found" });
    expect(info(body.details)).toMatchObject({ reason: "NOT_FOUND", domain: "datacenter.v1" });
    const resource = body.details.find(({ type }: WireDetail) => type === "google.rpc.ResourceInfo");
    expect(fromBinary(ResourceInfoSchema, base64Decode(resource.value))).toMatchObject({
      resourceType: "device",
      resourceName: "D9",
    });
  });

  test("names every field that breaks a rule", async () => {
    const { status, body } = await json(at, "UpsertRack", { rack: { ...RACK, u_height: 500, starting_unit: -1 } });

    expect(status).toBe(400);
    expect(badFields(body.details)).toEqual(expect.arrayContaining(["rack.u_height", "rack.starting_unit"]));
  });

  test("tells of each item of a bulk call, errors with their details", async () => {
    const { status, body } = await json(at, "BulkUpsertRacks", { items: [RACK, { ...RACK, code: "no/slash" }] });

    expect(status).toBe(200);
    expect(body).toMatchObject({ succeeded: 1, failed: 1, committed: true });
    expect(body.results[1].error.details[0]).toMatchObject({
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "INVALID_CODE",
      metadata: { field: "items[1].code" },
    });
  });

  test("names the fields of what the inventory forbids beside the reasons", async () => {
    await post(at, "UpsertRack", { rack: RACK });
    const sources = ["device:NONE", "port:NONE/1"].map((source_ref, index) => ({
      name: `psu${index}`,
      kind: "PORT_KIND_POWER_IN",
      power_in: { source_ref },
    }));

    const { body } = await json(at, "UpsertDevice", { device: { ...server("D1"), ports: sources } });

    expect(body.code).toBe("failed_precondition");
    expect(body.details.map(({ type }: WireDetail) => type)).toContain("google.rpc.PreconditionFailure");
    expect(badFields(body.details)).toEqual([
      "device.ports[0].power_in.source_ref",
      "device.ports[1].power_in.source_ref",
    ]);
  });

  test("answers questions by GET, but no changes", async () => {
    const words = "connect=v1&encoding=json&message=";
    const read = encodeURIComponent("{}");
    const write = encodeURIComponent(JSON.stringify({ rack: RACK }));

    const asked = await http1(`${at.url}/${SERVICE}/SearchDevices?${words}${read}`);
    const changed = await http1(`${at.url}/${SERVICE}/UpsertRack?${words}${write}`);

    expect(asked.status).toBe(200);
    expect(JSON.parse(asked.text).total_count).toBe(0);
    expect(changed.status).toBe(405);
  });

  test("says nothing of a defect but reports it", async () => {
    const broken = new Error("secret of the inside");
    at.site.store.read = () => Promise.reject(broken);

    const { status, body } = await json(at, "GetDevice", { code: "D1" });

    expect(status).toBe(500);
    expect(body).toEqual({ code: "internal", message: "Internal error" });
    expect(at.defects).toEqual([{ method: "GetDevice", error: broken }]);
  });

  test("answers 400 to a request that names no host", async () => {
    const { connect } = await import("node:net");
    const socket = connect(Number(new URL(at.url).port), "127.0.0.1");
    const answer = new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString())));

    socket.write(
      `POST /${SERVICE}/GetDevice HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    );

    expect(await answer).toStartWith("HTTP/1.1 400 ");
    socket.destroy();
  });
});
