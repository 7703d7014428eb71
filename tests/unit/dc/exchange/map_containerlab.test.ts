import { expect, test } from "bun:test";
import { parse } from "yaml";
import { mapContainerlab } from "#dc/exchange/containerlab/map_containerlab.ts";

const OPTIONS = { origin: "lab", known: new Map<string, string>(), foreign: { device: new Set<string>() } };

function mapped(yaml: string) {
  const result = mapContainerlab(parse(yaml), OPTIONS);
  if ("problem" in result) throw new Error(result.problem);
  return result;
}

const CLOS = `
name: clos
topology:
  defaults: { kind: nokia_srlinux }
  groups: { tops: { kind: nokia_srlinux, type: ixr6 } }
  nodes:
    leaf1: {}
    leaf2: { type: ixrd2 }
    spine1: {}
    superspine1: { group: tops }
    r1: { labels: { role: border-leaf } }
    client1: { kind: linux }
    br0: { kind: bridge }
  links:
    - endpoints: ["leaf1:e1-1", "spine1:e1-1"]
    - endpoints: ["spine1:e1-2", "leaf2:e1-1"]
    - endpoints: [{ node: spine1, interface: e1-3 }, { node: superspine1, interface: e1-1 }]
    - endpoints: ["r1:e1", "spine1:e1-4"]
    - endpoints: ["leaf1:e1-9", "leaf2:e1-9"]
    - endpoints: ["client1:eth1", "leaf1:e1-3"]
    - endpoints: ["leaf2:e1-3", "br0:p1"]
    - endpoints: ["client1:eth1", "leaf2:e1-7"]
    - endpoints: ["leaf1:e1-8"]
`;

test("mapContainerlab gives nodes their tiers, and links their cables and fabric", () => {
  const { items } = mapped(CLOS);
  const roles = items.flatMap(({ resource }) =>
    "kind" in resource && "role" in resource ? [[resource.code, resource.role]] : [],
  );
  const links = items.flatMap(({ kind, resource }) =>
    kind === "fabric_link" && "a" in resource ? [`${resource.a.deviceCode} ${resource.b.deviceCode}`] : [],
  );

  expect(roles).toEqual([
    ["leaf1", "leaf"],
    ["leaf2", "leaf"],
    ["spine1", "spine"],
    ["superspine1", "super-spine"],
    ["r1", "border-leaf"],
  ]);
  expect(links).toEqual(["leaf1 spine1", "leaf2 spine1", "spine1 superspine1", "r1 spine1"]);
  expect(items.filter(({ kind }) => kind === "cable")).toHaveLength(6);
  expect(items.find(({ id }) => id === "node/superspine1")?.resource).toMatchObject({
    model: "ixr6",
    location: { siteId: "clos" },
  });
});

test("mapContainerlab notes links and nodes that it leaves out", () => {
  expect(mapped(CLOS).omissions.map(({ reason, id }) => [id, reason])).toEqual([
    ["node/br0", "A node of kind bridge is the lab's machine or one of its networks"],
    ["link/7", "A link to the lab's machine or to a node that is not there"],
    ["link/8", "A link to an interface that holds another link"],
    ["link/9", "A link without two ends"],
  ]);
});

test("mapContainerlab refuses what is no topology", () => {
  expect(mapContainerlab(parse("name: x"), OPTIONS)).toEqual({ problem: "expected name and topology" });
  expect(mapContainerlab(parse("topology: { nodes: [a] }"), OPTIONS)).toEqual({
    problem: "expected topology.nodes with names and kinds",
  });
});

test.each([
  ["default", {}, "spine"],
  ["kind", { kind: "srl" }, "leaf"],
  ["group", { kind: "srl", group: "edge" }, "border-leaf"],
  ["node", { kind: "srl", group: "edge", labels: { role: "super-spine" } }, "super-spine"],
  ["node with other labels", { labels: { rack: "1" } }, "spine"],
  ["kind with other labels of the node", { kind: "srl", labels: { rack: "1" } }, "leaf"],
])("mapContainerlab merges labels from default to node: the role of the %s", (_, node, role) => {
  const label = (name: string) => ({ labels: { role: name } });
  const topology = {
    defaults: label("spine"),
    kinds: { srl: label("leaf") },
    groups: { edge: label("border-leaf") },
    nodes: { n: node },
  };
  const result = mapContainerlab({ name: "lab", topology }, OPTIONS);
  expect("items" in result && result.items[0]?.resource).toMatchObject({ role });
});
