import { describe, expect, test } from "bun:test";
import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { BulkUpsertDevicesRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { convertArguments, UnreadableArgument } from "#interfaces/graphql/request.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { served } from "../../../support/dc/served.ts";
import { http1 } from "../../../support/http_client.ts";

const ports = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `p${at}`, kind: "NETWORK" }));
const device = (at: number, portCount: number) => ({ code: `D${at}`, labels: { of: "law" }, ports: ports(portCount) });
const devices = (count: number, portCount: number) => Array.from({ length: count }, (_, at) => device(at, portCount));

/** A device as proto JSON has it, whose words have a prefix. */
const unkinded = (one: ReturnType<typeof device>) => ({ ...one, ports: one.ports.map(({ name }) => ({ name })) });

describe("A large variable of GraphQL", () => {
  test("is refused with the places of its wrong parts, as a small one is", async () => {
    const at = await served();
    const query = "mutation($i: [DeviceInput!]!) { bulkUpsertDevices(items: $i) { __typename } }";
    const ask = async (items: readonly object[]) => {
      const body = JSON.stringify({ query, variables: { i: items } });
      const headers = { "content-type": "application/json" };
      const { text } = await http1(`${at.url}/graphql`, { method: "POST", headers, body });
      return JSON.parse(text).errors?.[0];
    };
    for (const wrong of [
      { code: 7 },
      { code: "X", kind: "NO_SUCH_KIND" },
      { code: "X", nonsense: true },
      { code: "X", ports: [...ports(60), { name: "p", speedMbps: "fast" }] },
    ]) {
      const small = await ask([wrong]);
      const large = await ask([...devices(60, 1), wrong]);

      expect(small.message).toContain('Variable "$i" has invalid value at [0]');
      expect(large).toEqual(JSON.parse(JSON.stringify(small).replaceAll("[0]", "[60]")));
    }
    // A number that the proto's field cannot hold passes the type and fails as a message.
    const overflow = { code: "X", ports: [{ name: "p", speedMbps: 2 ** 31 - 1, positionU: 1.5 }] };
    expect(JSON.stringify(await ask([...devices(60, 1), overflow]))).toContain("[60].ports[0].positionU");
  });
});

test("a large object among the variables is read once, its enumerations too", async () => {
  const at = await served();
  const query = "mutation($d: DeviceInput!) { upsertDevice(device: $d) { device { code kind ports { kind } } } }";
  const one = { code: "D1", kind: "SERVER", location: { siteId: "S1", floorNumber: 1 }, ports: ports(30) };
  const body = JSON.stringify({ query, variables: { d: one } });

  const { text } = await http1(`${at.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

  expect(JSON.parse(text)).toMatchObject({
    data: { upsertDevice: { device: { code: "D1", kind: "SERVER", ports: ports(30).map(({ kind }) => ({ kind })) } } },
  });
});

test("a large variable may be named as a prototype is", async () => {
  const at = await served();
  const query = "mutation($__proto__: [DeviceInput!]!) { bulkUpsertDevices(items: $__proto__) { failed } }";
  const variables = JSON.stringify({ named: devices(30, 0) }).replace("named", "__proto__");
  const body = `{"query": ${JSON.stringify(query)}, "variables": ${variables}}`;

  const { text } = await http1(`${at.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

  expect(JSON.parse(text).data?.bulkUpsertDevices).toEqual({ failed: 30 });
});

test("convertArguments reads what the library reads, and names the place of what cannot be read", () => {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
  const proto = devices(30, 30).map(unkinded);
  const message = runAllSteps(convertArguments(BulkUpsertDevicesRequestSchema, { atomic: true, items: proto }));

  const read = fromJson(BulkUpsertDevicesRequestSchema, plain({ atomic: true, items: proto }));
  expect(toJson(BulkUpsertDevicesRequestSchema, message as typeof read)).toEqual(
    toJson(BulkUpsertDevicesRequestSchema, read),
  );

  const broken = [...proto, { code: "X", ports: [...ports(30).map(({ name }) => ({ name })), { name: 5 }] }];
  const failing = () => runAllSteps(convertArguments(BulkUpsertDevicesRequestSchema, { items: broken } as JsonObject));
  expect(failing).toThrow(UnreadableArgument);
  try {
    failing();
  } catch (error) {
    expect(error).toMatchObject({ path: "items[30].ports[30].name" });
  }
});
